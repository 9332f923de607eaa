package dev.headway.events.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** A step, from its plan to the processing of its output. */
@Name(StepEvent.NAME)
@Label("Scheduler Step")
@Category("Headway")
@Description("A step, from its plan to the moment its output was taken over")
@StackTrace(false)
final class StepEvent extends Event {

  static final String NAME = "dev.headway.Step";

  @Label("Step")
  @Description("Number of the step in its run, from 1")
  long stepId;

  @Label("Schedule")
  @Description("Time in which the scheduler decided, of the engine's clock")
  @Timespan(Timespan.NANOSECONDS)
  long schedule;

  @Label("Prepare")
  @Description("Time to build and upload the batch, if the executor reports it")
  @Timespan(Timespan.NANOSECONDS)
  long prepare;

  @Label("Forward")
  @Description("Time of the model's forward pass, if the executor reports it")
  @Timespan(Timespan.NANOSECONDS)
  long forward;

  @Label("Sample")
  @Description("Time to pick tokens and bring them back, if the executor reports it")
  @Timespan(Timespan.NANOSECONDS)
  long sample;

  @Label("Execute")
  @Description("Time from the hand-over to the executor to its output; absent if it saw nothing")
  @Timespan(Timespan.NANOSECONDS)
  long execute;

  @Label("Update")
  @Description("Time to take the output over")
  @Timespan(Timespan.NANOSECONDS)
  long update;

  @Label("Requests")
  @Description("Requests that computed something")
  int batchSize;

  @Label("Tokens")
  @Description("Tokens computed over all of them")
  int tokens;

  @Label("Running")
  @Description("Requests in a seat after the decision")
  int running;

  @Label("Waiting")
  @Description("Requests in the queue after the decision")
  int waiting;

  @Label("Free KV Blocks")
  @Description("KV blocks free after the decision")
  int freeBlocks;

  @Label("Failure")
  @Description("Why the step as a whole failed, if it did")
  @Nullable String failure;
}
