package dev.headway.events.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A running request was preempted: it is in the queue again. */
@Name(PreemptionEvent.NAME)
@Label("Preemption")
@Category("Headway")
@Description("A running request was preempted: it is in the queue again")
@StackTrace(false)
final class PreemptionEvent extends Event {

  static final String NAME = "dev.headway.Preemption";

  @Label("Step")
  @Description("The step that decided it")
  long stepId;

  @Label("Request")
  @Nullable String requestId;

  @Label("Cause")
  @Nullable String cause;

  @Label("Beneficiary")
  @Description("Who got the blocks or the seat; the request itself if it needed them")
  @Nullable String beneficiary;

  @Label("Lost Tokens")
  @Description("Computed tokens given up")
  int lostTokens;

  @Label("Freed KV Blocks")
  int freedBlocks;
}
