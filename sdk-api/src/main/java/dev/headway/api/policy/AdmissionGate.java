package dev.headway.api.policy;

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
    /** It ends with {@code FinishReason.REJECTED_BY_POLICY}. */
    REJECT
  }

  /** Decides on one request. Called before its prefix lookup and allocation. */
  Verdict admit(RequestView request, StepView step);
}
