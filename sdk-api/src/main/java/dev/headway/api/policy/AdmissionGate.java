package dev.headway.api.policy;

import dev.headway.api.request.RequestView;

/** Whether the request that is to be admitted next may be. */
public interface AdmissionGate {

  /** What becomes of the request. */
  enum Verdict {
    /** It is admitted if tokens and blocks suffice. */
    ADMIT,
    /**
     * It is passed over in this step; those behind it have their turn. Does not hold when nobody is
     * running: then it is admitted, so that the queue always moves.
     */
    DEFER,
    /** It ends with {@code FinishReason.REJECTED_BY_POLICY}. */
    REJECT
  }

  /** Decides on one request. Asked before anything is looked up or taken. */
  Verdict admit(RequestView request, StepView step);
}
