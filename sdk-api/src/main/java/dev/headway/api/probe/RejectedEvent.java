package dev.headway.api.probe;

import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;

/** A request was refused at submission, at {@link #atNs()}. */
public interface RejectedEvent extends ProbeEvent {

  /** The rejected request. */
  Request request();

  /** The rule that refused it. */
  RejectReason reason();

  /** The rule with the numbers, and what to change. */
  String message();
}
