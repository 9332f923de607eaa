package dev.headway.scheduler.core;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.schedule.SchedulerStats;
import dev.headway.api.schedule.StepAcknowledgement;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.queue.RunningList;
import dev.headway.scheduler.state.RequestState;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Continuous batching with chunked prefill, prefix caching and preemption by recomputation,
 * decision for decision as vLLM 0.28's v1 scheduler.
 *
 * <p>There are no phases of a request: every running request has computed tokens that run after its
 * known tokens, and each step gives it as many as it lacks, within the token budget. First the
 * running requests are served, then waiting ones are admitted; when KV blocks run out, a running
 * request is put back.
 *
 * <p>Engine thread only. One step may be out between {@link #schedule} and {@link #update}.
 */
public final class ContinuousBatchingScheduler implements Scheduler {

  private final SchedulerState state;
  private final Preemption preemption;
  private final Retirement retirement;
  private final RunningPhase runningPhase;
  private final AdmissionPhase admissionPhase;
  private final OutputStage outputStage;
  private final PlanBuffer plan;
  private boolean stepOut;
  private long arrivals;

  /**
   * Makes a scheduler.
   *
   * @param kv the cache it owns from now on; built with the same limits
   * @param vocabularySize answered token ids must be below this
   * @param probe hears every decision
   */
  public ContinuousBatchingScheduler(
      SchedulerConfig config, KvCacheManager kv, int vocabularySize, Probe probe) {
    state = new SchedulerState(config, kv, probe);
    preemption = new Preemption(state);
    retirement = new Retirement(state);
    runningPhase = new RunningPhase(state, preemption, retirement);
    admissionPhase = new AdmissionPhase(state, retirement);
    outputStage = new OutputStage(state, retirement, vocabularySize);
    plan = new PlanBuffer(config.limits().maxNumSeqs());
  }

  @Override
  public RequestView add(Request request, OutputListener listener, long arrivalNs, long nowNs) {
    final RequestState added = new RequestState(request, listener, arrivals++, arrivalNs, nowNs);
    added.attach(state.kv.open(added));
    state.waiting.add(added);
    state.probe.onQueued(added);
    return added;
  }

  @Override
  public boolean finish(
      RequestView request, FinishReason reason, @Nullable Throwable cause, long nowNs) {
    final RequestState ended = (RequestState) request;
    if (ended.status == RequestStatus.FINISHED) {
      return false;
    }
    if (ended.status == RequestStatus.RUNNING) {
      state.running.remove(ended);
    }
    retirement.retire(ended, reason, Retirement.NO_STOP_TOKEN, cause, nowNs);
    return true;
  }

  @Override
  public StepPlan schedule(long nowNs, dev.headway.api.schedule.PrefillGate prefills) {
    if (stepOut) {
      throw new IllegalStateException(
          "the step before must be updated or abandoned first: stepId=" + state.stepId);
    }
    stepOut = true;
    plan.begin(++state.stepId, nowNs);

    final int tokensLeft = runningPhase.plan(plan);
    if (runningPhase.hasPreempted()) { // never admit into memory just reclaimed
      admissionPhase.close(WaitReason.PREEMPTION_IN_STEP, null);
    } else {
      admissionPhase.plan(plan, tokensLeft, runningPhase.exhaustionReason());
    }

    state.waits.endStep(state.stepId);
    plan.complete(state);
    advance();
    return plan;
  }

  /** Counts the planned tokens as computed: the next plan starts behind them. */
  private void advance() {
    for (int entry = 0; entry < plan.size(); entry++) {
      final RequestState request = plan.state(entry);
      request.computedTokens += plan.scheduledTokens(entry);
      request.lastStepId = state.stepId;
    }
  }

  @Override
  public void planned(StepPlan planned, long nowNs) {
    requireOut(planned);
    plan.stampEnd(nowNs);
    state.probe.onPlanned(plan);
  }

  @Override
  public void update(StepPlan planned, StepOutput output, long nowNs) {
    requireOut(planned);
    if (output.stepId() != plan.stepId() || output.size() != plan.size()) {
      throw new IllegalArgumentException(
          "output must answer the plan: stepId="
              + output.stepId()
              + ", size="
              + output.size()
              + ", plan.stepId="
              + plan.stepId()
              + ", plan.size="
              + plan.size());
    }
    outputStage.apply(plan, output, nowNs);
    state.kv.acknowledge(plan.stepId());
    stepOut = false;
  }

  @Override
  public void abandon(
      StepPlan planned, Throwable cause, StepAcknowledgement acknowledgement, long nowNs) {
    requireOut(planned);
    outputStage.failAll(plan, cause, nowNs);
    if (acknowledgement == StepAcknowledgement.DONE) {
      state.kv.acknowledge(plan.stepId());
    }
    stepOut = false;
  }

  @Override
  public void acknowledge(long stepId) {
    state.kv.acknowledge(stepId);
  }

  private void requireOut(StepPlan planned) {
    if (planned != plan || !stepOut) {
      throw new IllegalStateException(
          "the plan must be the one that is out: stepId=" + planned.stepId());
    }
  }

  @Override
  public boolean resetPrefixCache(ResetScope scope, long nowNs) {
    state.probe.onCacheReset(scope, nowNs);
    if (scope == ResetScope.PREEMPT_RUNNING) {
      for (int i = state.running.size() - 1; i >= 0; i--) {
        final RequestState victim = state.running.removeAt(i);
        preemption.preempt(victim, PreemptionCause.CACHE_RESET, null, 0, state.kv.freeBlocks());
      }
    }
    return state.kv.reset();
  }

  @Override
  public int runningCount() {
    return state.running.size();
  }

  @Override
  public void proposeDrafts(RequestView request, int[] tokenIds, int count) {}

  @Override
  public void setPauseState(dev.headway.api.schedule.PauseState pauseState) {}

  @Override
  public dev.headway.api.schedule.PauseState pauseState() {
    return dev.headway.api.schedule.PauseState.RUNNING;
  }

  @Override
  public int unfinishedCount() {
    return 0;
  }

  @Override
  public int waitingCount() {
    return state.waiting.size();
  }

  @Override
  public boolean hasWork() {
    return state.running.size() > 0 || state.waiting.size() > 0 || state.finishedSince().size() > 0;
  }

  @Override
  public SchedulerStats stats() {
    return new SchedulerStats(
        state.stepId,
        state.admissions,
        state.preemptions,
        state.finished,
        state.prefixLookups,
        state.prefixQueriedTokens,
        state.prefixHitTokens,
        state.resumedLookups,
        state.resumedQueriedTokens,
        state.resumedHitTokens,
        0,
        0,
        0);
  }

  /** Visits the waiting requests in the order of their admission. For tests and diagnosis. */
  public void forEachWaiting(Consumer<? super RequestView> visitor) {
    state.waiting.forEachInOrder(visitor::accept);
  }

  /** Visits the running requests in the order of their admission. For tests and diagnosis. */
  public void forEachRunning(Consumer<? super RequestView> visitor) {
    final RunningList running = state.running;
    for (int i = 0; i < running.size(); i++) {
      visitor.accept(running.get(i));
    }
  }
}
