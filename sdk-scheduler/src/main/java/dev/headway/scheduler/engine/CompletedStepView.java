package dev.headway.scheduler.engine;

import dev.headway.api.probe.StepResult;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The reused view of {@code Probe.onStepCompleted}. */
final class CompletedStepView implements StepResult {

  private final StepOutput output;
  private @Nullable StepPlan plan;
  private long stepId;
  private boolean executed;
  private long submitNs;
  private long outputNs;
  private long endNs;
  private @Nullable Throwable failure;

  CompletedStepView(StepOutput output) {
    this.output = output;
  }

  void begin(StepPlan step) {
    plan = step;
    stepId = step.stepId();
    executed = false;
    submitNs = step.endNs();
    outputNs = step.endNs();
    endNs = step.endNs();
    failure = null;
  }

  boolean isFor(StepPlan step) {
    return stepId == step.stepId();
  }

  void submitted(long nowNs) {
    executed = true;
    submitNs = nowNs;
  }

  void answered(long nowNs) {
    outputNs = nowNs;
  }

  void failed(Throwable cause, long nowNs) {
    failure = cause;
    outputNs = nowNs;
  }

  void ended(long nowNs) {
    endNs = nowNs;
  }

  @Override
  public StepPlan plan() {
    return Objects.requireNonNull(plan, "only valid during the call");
  }

  @Override
  public boolean wasExecuted() {
    return executed;
  }

  @Override
  public long submitNs() {
    return submitNs;
  }

  @Override
  public long outputNs() {
    return outputNs;
  }

  @Override
  public long endNs() {
    return endNs;
  }

  @Override
  public StepOutput output() {
    return output;
  }

  @Override
  public @Nullable Throwable failure() {
    return failure;
  }
}
