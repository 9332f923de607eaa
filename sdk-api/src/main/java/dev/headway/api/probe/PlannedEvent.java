package dev.headway.api.probe;

import dev.headway.api.step.StepPlan;

/**
 * A step was planned; also when it is empty. The decisions since the plan before take effect at
 * {@link #endNs()}, where {@code beginNs <= endNs}.
 */
public interface PlannedEvent extends ProbeEvent {

  /** The plan; valid until the step is completed. */
  StepPlan plan();

  /** Instant at which scheduling began. */
  default long beginNs() {
    return plan().beginNs();
  }

  /** Instant at which scheduling ended; the same as {@link #atNs()}. */
  default long endNs() {
    return plan().endNs();
  }

  /** Requests running after this decision, scheduled or not. */
  int runningCount();

  /** Requests waiting after this decision, preempted ones included. */
  int waitingCount();

  /** Requests waiting after this decision because they were preempted. */
  int preemptedWaitingCount();

  /** KV blocks free after this decision. */
  int freeBlocks();
}
