package dev.headway.examples.custompolicy;

import dev.headway.api.policy.StepView;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.request.RequestView;

/**
 * Spares requests that were preempted before: the one preempted least often is preempted, of equals
 * the one admitted last, and never the one that needs the blocks. Beyond {@code limit} preemptions
 * all count the same.
 *
 * <p>Engine thread only. No state, no allocation, O(running) per call.
 */
public final class SparePreempted implements VictimPolicy {

  private final int limit;

  /**
   * Makes the policy.
   *
   * @param limit preemptions that are distinguished, >= 1
   * @throws IllegalArgumentException unless {@code limit >= 1}
   */
  public SparePreempted(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be >= 1: limit=" + limit);
    }
    this.limit = limit;
  }

  @Override
  public int victim(RequestView needy, int neededBlocks, StepView step) {
    int victim = STALL; // the answer if no other request runs
    for (int index = 0; index < step.runningCount(); index++) {
      final boolean other = step.running(index).number() != needy.number();
      if (other && (victim == STALL || preemptions(step, index) <= preemptions(step, victim))) {
        victim = index;
      }
    }
    return victim;
  }

  private int preemptions(StepView step, int index) {
    return Math.min(step.running(index).preemptions(), limit);
  }
}
