package dev.headway.events.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A request was refused at submission. */
@Name(RequestRejectedEvent.NAME)
@Label("Request Rejected")
@Category("Headway")
@Description("A request was refused at submission")
@StackTrace(false)
final class RequestRejectedEvent extends Event {

  static final String NAME = "dev.headway.RequestRejected";

  @Label("Request")
  @Nullable String requestId;

  @Label("Reason")
  @Nullable String reason;

  @Label("Message")
  @Description("The rule with the numbers")
  @Nullable String message;

  @Label("Prompt Tokens")
  int promptTokens;
}
