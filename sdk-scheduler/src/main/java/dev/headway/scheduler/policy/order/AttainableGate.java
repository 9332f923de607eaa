package dev.headway.scheduler.policy.order;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.policy.AdmissionGate;
import dev.headway.api.policy.NeedsStepTime;
import dev.headway.api.policy.ServiceLedger;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.RequestView;

/**
 * Refuses requests whose first token can no longer be in time, so that the others' can:
 *
 * <pre>{@code
 * now + time to compute its uncached tokens > deadline
 * }</pre>
 *
 * <p>Requests without an individual deadline, those that had their first token, and all of them
 * while nothing is known about durations are admitted. No request is deferred while nothing runs.
 *
 * <p>Source: the TTFT guard of Scorpio (arXiv 2505.23022).
 */
public final class AttainableGate implements AdmissionGate, ServiceLedger, NeedsStepTime {

  /** What becomes of a request that cannot be in time. */
  public enum Unattainable {
    /** It ends. */
    REJECT,
    /** It waits until nothing else runs. */
    DEFER,
    /** It is admitted like any other. */
    ADMIT
  }

  private final Verdict refusal;
  private final Deadlines deadlines = new Deadlines(Deadlines.NONE);
  private final PrefillTime prefill = new PrefillTime();
  private long measuredStepId = ABSENT;

  /** Makes the gate. */
  public AttainableGate(Unattainable unattainable) {
    refusal = Verdict.valueOf(unattainable.name());
  }

  @Override
  public Verdict admit(RequestView request, StepView step) {
    final boolean mayWait = refusal != Verdict.DEFER || step.runningCount() > 0;
    return mayWait && isTooLate(request, step) ? refusal : Verdict.ADMIT;
  }

  private boolean isTooLate(RequestView request, StepView step) {
    final long deadline = deadlines.of(request);
    if (deadline == Deadlines.NONE || request.outputTokens() > 0) {
      return false;
    }
    if (measuredStepId != step.stepId()) {
      measuredStepId = step.stepId();
      prefill.measure(step);
    }
    final int uncached = request.knownTokens() - step.cachedPrefixTokens(request);
    final long needed = prefill.ofNs(uncached, step);
    return needed != ABSENT && needed > deadline - step.nowNs();
  }

  @Override
  public void onFinished(RequestView request) {
    deadlines.onFinished(request);
  }
}
