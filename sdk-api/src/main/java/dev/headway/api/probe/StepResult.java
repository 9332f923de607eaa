package dev.headway.api.probe;

import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import org.jspecify.annotations.Nullable;

/**
 * What came of a step. A reused view, valid during the call. Instants in order: {@code plan.beginNs
 * <= plan.endNs <= submitNs <= outputNs <= endNs}.
 */
public interface StepResult {

  /** What was to be done, with the tokens that came of it. */
  StepPlan plan();

  /** Whether the plan went to the executor; an empty plan usually does not. */
  boolean wasExecuted();

  /** Instant at which the plan was handed to the executor; plan.endNs if it was not. */
  long submitNs();

  /** Instant at which the output was available, or the step had failed. */
  long outputNs();

  /** Instant at which the output was taken over and the step was done. */
  long endNs();

  /** The executor's timing and device figures; for other fields see the plan. */
  StepOutput output();

  /** Why the step as a whole failed, or null. */
  @Nullable Throwable failure();
}
