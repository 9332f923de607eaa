package dev.headway.events.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** A request ended. */
@Name(RequestFinishedEvent.NAME)
@Label("Request Finished")
@Category("Headway")
@Description("A request ended")
@StackTrace(false)
final class RequestFinishedEvent extends Event {

  static final String NAME = "dev.headway.RequestFinished";

  @Label("Request")
  @Nullable String requestId;

  @Label("Reason")
  @Description("How it ended")
  @Nullable String reason;

  @Label("End to End")
  @Description("Time from its arrival to its end, of the engine's clock")
  @Timespan(Timespan.NANOSECONDS)
  long endToEnd;

  @Label("Prompt Tokens")
  int promptTokens;

  @Label("Output Tokens")
  int outputTokens;

  @Label("Cached Tokens")
  @Description("Prompt tokens that its first admission found in the prefix cache")
  int cachedTokens;

  @Label("Preemptions")
  int preemptions;

  @Label("Freed KV Blocks")
  int freedBlocks;

  @Label("Cause")
  @Description("What failed, if something did")
  @Nullable String cause;
}
