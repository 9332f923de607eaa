package dev.headway.events.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A request got no tokens, from the decision that refused it to the one that ended the wait. */
@Name(RequestWaitEvent.NAME)
@Label("Request Wait")
@Category("Headway")
@Description("A request got nothing, from the decision that said so to the one that ended it")
@StackTrace(false)
final class RequestWaitEvent extends Event {

  static final String NAME = "dev.headway.RequestWait";

  @Label("Request")
  @Nullable String requestId;

  @Label("Reason")
  @Description(
      "What the decision returned; if it was not examined, what admissions were closed for when"
          + " the wait ended")
  @Nullable String reason;

  @Label("Own Reason")
  @Description("Whether a decision examined this very request")
  boolean own;

  @Label("Blocker")
  @Description("The request that blocked it, if it was one")
  @Nullable String blocker;

  @Label("Needed")
  @Description("KV blocks or tokens needed, as the reason has it")
  int needed;

  @Label("Free")
  @Description("How many of those there were")
  int free;

  @Label("Step")
  @Description("The step that decided it; 0 before the first")
  long stepId;
}
