package dev.headway.api.policy;

import dev.headway.api.request.Hold;
import dev.headway.api.request.RequestView;

/** Whether the next request in the queue may be admitted. */
public interface AdmissionGate {

  /** Decision on the request. */
  enum Verdict {
    /** It is admitted if tokens and blocks suffice. */
    ADMIT,
    /**
     * It is passed over in this step; the requests after it are considered. Ignored when no request
     * is running: then it is admitted, so that the queue always progresses.
     */
    DEFER,
    /**
     * It is set aside until the hold that {@link AdmissionGate#hold} names is over, and not asked
     * about before; the requests after it are considered. Also when no request is running: such a
     * hold ends by itself.
     */
    HOLD,
    /** It ends with {@code FinishReason.REJECTED_BY_POLICY}. */
    REJECT
  }

  /** Decides on one request. Called before its prefix lookup and allocation. */
  Verdict admit(RequestView request, StepView step);

  /**
   * What a request waits for about which {@link #admit} has just answered {@link Verdict#HOLD}: an
   * instant of the engine's clock, or a stage that any thread may complete. When it is over, the
   * gate is asked about the request again. If the stage fails, the request ends with {@code
   * FinishReason.HOLD_FAILED}, and at the timeout, which begins now, with {@code HOLD_TIMEOUT}.
   *
   * <p>The request waits with the reason of the hold, {@code policy_deferred} for {@code
   * HoldReason.EXTERNAL}.
   *
   * @return a hold with an instant or a timeout: one that might never end is an invalid answer
   */
  default Hold hold(RequestView request, StepView step) {
    throw new UnsupportedOperationException(
        "a gate that answers HOLD must override hold: " + getClass().getName());
  }
}
