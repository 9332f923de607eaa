package dev.headway.scheduler.engine;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.step.BlockOperations;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A step between its planning and its end: reused. Engine thread only. */
final class OutstandingStep {

  final StepOutput output = new StepOutput();

  /** Whether an answer of the executor is outstanding. */
  boolean submitted;

  /** Why it can no longer be answered, or null. */
  @Nullable Throwable failure;

  /** Instant of the hand-over to the executor, or absent. */
  long submitNs;

  /** Why the step as a whole failed, or null. */
  @Nullable Throwable cause;

  private @Nullable StepPlan plan;

  void begin(StepPlan planned) {
    plan = planned;
    submitted = false;
    failure = null;
    submitNs = ABSENT;
    cause = null;
    output.begin(planned.stepId(), planned.size());
    output.availableAt(planned.endNs());
  }

  StepPlan plan() {
    return Objects.requireNonNull(plan, "begun");
  }

  /**
   * Whether the plan has anything for the executor. A step can move blocks and compute nothing: the
   * request it moved them for was preempted, and others can find what was moved.
   */
  boolean needsExecutor() {
    final BlockOperations operations = plan().blockOperations();
    return plan().size() > 0
        || plan().finished().size() > 0
        || operations.saves().size() > 0
        || operations.loads().size() > 0
        || operations.copies().size() > 0
        || plan().encoderInputs().droppedCount() > 0;
  }

  /** Whether the output is for this step. */
  boolean isAnswered() {
    return output.stepId() == plan().stepId() && output.size() == plan().size();
  }
}
