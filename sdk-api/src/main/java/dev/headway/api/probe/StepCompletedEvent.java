package dev.headway.api.probe;

import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import org.jspecify.annotations.Nullable;

/**
 * A step is done: its output was processed, or it failed. One for every {@link PlannedEvent}, in
 * the same order. Instants in order: the end of its planning {@code <= submitNs <= outputNs <=
 * endNs}.
 */
public interface StepCompletedEvent extends ProbeEvent {

  /** The plan of the step, with the tokens that each entry produced. */
  StepPlan plan();

  /** Whether the plan went to the executor; an empty plan usually does not. */
  boolean wasExecuted();

  /** Instant of the hand-over to the executor; the end of planning if there was none. */
  long submitNs();

  /** Instant at which the output was available, or the step had failed. */
  long outputNs();

  /**
   * Instant at which the output was processed and the step was done; the same as {@link #atNs()}.
   */
  default long endNs() {
    return atNs();
  }

  /** The executor's timing and device figures; for other fields see the plan. */
  StepOutput output();

  /** Why the step as a whole failed, or null. */
  @Nullable Throwable failure();
}
