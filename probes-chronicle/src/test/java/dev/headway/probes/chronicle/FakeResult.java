package dev.headway.probes.chronicle;

import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;

/** The result of a plan; a test sets what differs. */
final class FakeResult implements StepCompletedEvent {

  private final StepPlan plan;
  private final StepOutput output = new StepOutput();
  private Throwable failure;

  FakeResult(StepPlan plan) {
    this.plan = plan;
    output.begin(plan.stepId(), plan.size());
  }

  FakeResult failing(Throwable cause) {
    failure = cause;
    return this;
  }

  @Override
  public long stepId() {
    return plan.stepId();
  }

  @Override
  public StepPlan plan() {
    return plan;
  }

  @Override
  public boolean wasExecuted() {
    return plan.size() > 0;
  }

  @Override
  public long submitNs() {
    return plan.endNs() + 1;
  }

  @Override
  public long outputNs() {
    return plan.endNs() + 2;
  }

  @Override
  public long atNs() {
    return plan.endNs() + 3;
  }

  @Override
  public StepOutput output() {
    return output;
  }

  @Override
  public Throwable failure() {
    return failure;
  }
}
