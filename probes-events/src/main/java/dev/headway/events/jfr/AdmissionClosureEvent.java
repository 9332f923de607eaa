package dev.headway.events.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** The reason shared by all waiting requests that were not examined, as long as it holds. */
@Name(AdmissionClosureEvent.NAME)
@Label("Admissions Closed")
@Category("Headway")
@Description("The reason that all share who wait and were not examined, while it is the same")
@StackTrace(false)
final class AdmissionClosureEvent extends Event {

  static final String NAME = "dev.headway.AdmissionsClosed";

  @Label("Step")
  @Description("The step that decided it")
  long stepId;

  @Label("Reason")
  @Nullable String reason;

  @Label("Blocker")
  @Description("The head of the queue that was refused, for head_of_line")
  @Nullable String blocker;
}
