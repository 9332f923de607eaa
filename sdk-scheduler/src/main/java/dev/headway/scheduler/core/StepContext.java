package dev.headway.scheduler.core;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepFeatures;
import dev.headway.scheduler.policy.guard.GuardedPolicies;
import dev.headway.scheduler.state.RequestState;

/** The policies' view of a step; reused from step to step. */
final class StepContext implements StepView {

  private final SchedulerState state;
  private final GuardedPolicies estimator;
  private long nowNs;

  /** Makes the view; {@code estimator} predicts the times of steps. */
  StepContext(SchedulerState state, GuardedPolicies estimator) {
    this.state = state;
    this.estimator = estimator;
  }

  void begin(PlanBuffer plan) {
    nowNs = plan.beginNs();
  }

  @Override
  public long stepId() {
    return state.stepId;
  }

  @Override
  public long nowNs() {
    return nowNs;
  }

  @Override
  public SchedulerConfig config() {
    return state.config;
  }

  @Override
  public int runningCount() {
    return state.running.size();
  }

  @Override
  public RequestView running(int index) {
    return state.running.get(index);
  }

  @Override
  public int scheduledTokens(int index) {
    final RequestState request = state.running.get(index);
    return request.lastStepId == state.stepId ? request.plannedTokens : 0;
  }

  @Override
  public int waitingCount() {
    return state.waiting.size();
  }

  @Override
  public int tokensLeft() {
    return state.budget.tokensLeft();
  }

  @Override
  public int blockSize() {
    return state.kv.shape().blockSize();
  }

  @Override
  public int freeBlocks() {
    return state.kv.freeBlocks();
  }

  @Override
  public int usableBlocks() {
    return state.kv.shape().usableBlocks();
  }

  @Override
  public int cachedPrefixTokens(RequestView waiting) {
    final RequestState request = (RequestState) waiting;
    if (request.status == RequestStatus.RUNNING) {
      throw new IllegalArgumentException(
          "cachedPrefixTokens is for requests that wait: id=" + waiting.id());
    }
    if (request.computedTokens > 0 || KvExchange.isLoading(request)) {
      return request.computedTokens; // it has blocks
    }
    if (request.matchedStepId != state.stepId) {
      request.matchedStepId = state.stepId;
      request.matchedTokens = state.kv.lookup(request.kv());
    }
    return request.matchedTokens;
  }

  @Override
  public long estimateNs(StepFeatures features) {
    return estimator.estimateNs(features);
  }
}
