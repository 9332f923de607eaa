package dev.headway.scheduler.core;

import dev.headway.api.step.StepPlan;

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

  /** The oldest step is done; its plan stays readable until its buffer is used again. */
  void removeOldest() {
    oldest = (oldest + 1) % ring.length;
    count--;
  }
}
