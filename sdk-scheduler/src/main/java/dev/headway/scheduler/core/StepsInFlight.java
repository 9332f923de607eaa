package dev.headway.scheduler.core;

import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.state.RequestState;

/**
 * The plans between schedule and complete, oldest first: a ring of reused buffers, as many as there
 * may be steps out.
 */
final class StepsInFlight {

  private final PlanBuffer[] ring;
  private int oldest;
  private int count;

  StepsInFlight(int maxSteps, int seats, int groups, int maxDrafts) {
    ring = new PlanBuffer[maxSteps];
    for (int i = 0; i < maxSteps; i++) {
      ring[i] = new PlanBuffer(seats, groups, maxDrafts);
    }
  }

  int count() {
    return count;
  }

  /** Returns the plan that has been out for {@code index} steps less than the oldest. */
  PlanBuffer get(int index) {
    return ring[(oldest + index) % ring.length];
  }

  /** Returns a buffer for one more step. */
  PlanBuffer begin(long nextStepId) {
    if (count == ring.length) {
      throw new IllegalStateException(
          "an earlier step must be completed or failed first: nextStepId="
              + nextStepId
              + ", oldestStepId="
              + ring[oldest].stepId()
              + ", maxStepsInFlight="
              + ring.length);
    }
    return ring[(oldest + count++) % ring.length];
  }

  /** Returns {@code plan}, which must be the oldest that is out. */
  PlanBuffer requireOldest(StepPlan plan) {
    final PlanBuffer first = ring[oldest];
    if (count == 0 || plan != first) {
      throw new IllegalStateException(
          "the plan must be the oldest that is out: stepId=" + plan.stepId());
    }
    return first;
  }

  /**
   * See {@link PlanBuffer#replaceDrafts}; returns 0 if the plan is not out, or has no drafts of the
   * request.
   */
  int replaceDrafts(StepPlan plan, RequestState request, int[] tokenIds, int drafts) {
    for (int i = 0; i < count; i++) {
      final PlanBuffer out = get(i);
      final int entry = out == plan ? out.findEntry(request) : -1;
      if (entry >= 0 && out.draftTokens(entry) > 0) {
        return out.replaceDrafts(entry, tokenIds, drafts);
      }
    }
    return 0;
  }

  /** The oldest step is done; its plan stays readable until its buffer is used again. */
  void removeOldest() {
    oldest = (oldest + 1) % ring.length;
    count--;
  }
}
