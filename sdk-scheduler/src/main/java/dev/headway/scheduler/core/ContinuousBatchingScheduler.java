package dev.headway.scheduler.core;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.QueueOrder;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.PrefillGate;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.schedule.SchedulerStats;
import dev.headway.api.schedule.StepAcknowledgement;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.queue.AdmissionQueue;
import dev.headway.scheduler.queue.KeyedQueue;
import dev.headway.scheduler.queue.RunningList;
import dev.headway.scheduler.queue.TwoLineQueue;
import dev.headway.scheduler.queue.WindowQueue;
import dev.headway.scheduler.state.RequestState;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Continuous batching with chunked prefill, prefix caching, speculation and preemption by
 * recomputation, decision for decision as vLLM 0.28's v1 scheduler.
 *
 * <p>There are no phases of a request: every running request has computed tokens that run after its
 * known tokens, and each step gives it as many as it lacks, within the token budget. First the
 * running requests are served, then waiting ones are admitted; when KV blocks run out, a running
 * request is put back.
 *
 * <p>Engine thread only. As many steps may be out between {@link #schedule} and {@link #update} as
 * {@code pipeline.maxStepsInFlight()} says.
 */
public final class ContinuousBatchingScheduler implements Scheduler {

  private final SchedulerState state;
  private final StepParts parts;
  private final RunningPhase runningPhase;
  private final AdmissionPhase admissionPhase;
  private final OutputStage outputStage;
  private final StepsInFlight inFlight;
  private final KvTransferEvents transfers;
  private long arrivals;
  private long unansweredStepId;

  /**
   * Makes a scheduler.
   *
   * @param kv the cache it owns from now on; built with the same limits
   * @param vocabularySize answered token ids must be below this
   * @param probe is notified of every decision
   */
  public ContinuousBatchingScheduler(
      SchedulerConfig config, KvCacheManager kv, int vocabularySize, Probe probe) {
    this(config, kv, vocabularySize, probe, Policies.NONE);
  }

  /**
   * Makes a scheduler with policies of its own.
   *
   * @param policies the decisions that are replaced; stateful ones belong to this scheduler alone
   */
  public ContinuousBatchingScheduler(
      SchedulerConfig config,
      KvCacheManager kv,
      int vocabularySize,
      Probe probe,
      Policies policies) {
    final SchedulerEvents events = new SchedulerEvents(probe);
    state = new SchedulerState(config, kv, events);
    final StepBudget budget = new StepBudget(config.speculation().draftSlots());
    final StepContext context = new StepContext(state, budget);
    final PolicyDesk desk = new PolicyDesk(policies, context);
    state.waiting = queueFor(config, policies, desk, context, events);
    parts = StepParts.of(state, budget, desk);
    final SteadyDecodes steady = new SteadyDecodes(state, parts, vocabularySize);
    runningPhase = new RunningPhase(state, parts, steady);
    admissionPhase = new AdmissionPhase(state, parts);
    inFlight =
        new StepsInFlight(
            config.pipeline().maxStepsInFlight(),
            config.limits().maxNumSeqs(),
            kv.shape().groups().size(),
            config.speculation().numSpeculativeTokens());
    outputStage = new OutputStage(state, parts, inFlight, steady, vocabularySize);
    transfers = new KvTransferEvents(probe);
  }

  private static AdmissionQueue queueFor(
      SchedulerConfig config,
      Policies policies,
      PolicyDesk desk,
      StepContext context,
      SchedulerEvents events) {
    final QueueOrder order = policies.order();
    if (order instanceof StaticOrder) {
      return new KeyedQueue(desk.policies());
    }
    if (order instanceof DynamicOrder) {
      return new WindowQueue(desk.policies(), context, events);
    }
    return config.queuePolicy() == QueuePolicy.FCFS
        ? TwoLineQueue.byArrival()
        : TwoLineQueue.byPriority();
  }

  @Override
  public RequestView add(Request request, OutputListener listener, long arrivalNs, long nowNs) {
    final RequestState added = new RequestState(request, listener, arrivals++, arrivalNs, nowNs);
    added.attach(state.kv.open(added));
    added.setLengthLimit(state.maxModelLen);
    parts.policies().queued(added);
    state.waiting.add(added);
    state.events.queued(state.stepId, added);
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
    parts.retirement().retire(ended, reason, ABSENT, cause, nowNs);
    return true;
  }

  @Override
  public StepPlan schedule(long nowNs, PrefillGate prefills) {
    final PlanBuffer plan = inFlight.begin(state.stepId + 1);
    plan.begin(++state.stepId, nowNs);
    state.kv.beginStep(state.stepId);
    reuseBlocksOfEarlierSteps();
    beginBudget(plan);
    parts.chunks().begin(parts.budget());
    parts.throttle().begin(prefills, state.running);

    runningPhase.plan(plan);
    if (runningPhase.hasPreempted()) { // never admit into memory just reclaimed
      admissionPhase.close(WaitReason.PREEMPTION_IN_STEP, null);
    } else if (runningPhase.hasStalled()) {
      admissionPhase.close(WaitReason.STALLED, null);
    } else if (state.pauseState != PauseState.RUNNING) {
      admissionPhase.close(WaitReason.PAUSED, null);
    } else {
      admissionPhase.plan(plan, runningPhase.onlyDecodes(plan), runningPhase.exhaustionReason());
    }

    state.waits.endStep(state.stepId);
    plan.complete(state);
    parts.ahead().proposeDrafts(plan);
    return plan;
  }

  private void beginBudget(PlanBuffer plan) {
    final int tokens =
        parts.policies().beginStep(plan, parts.budget(), state.maxNumScheduledTokens);
    final boolean paused = state.pauseState == PauseState.PAUSED;
    parts.budget().begin(paused ? 0 : tokens, state.maxNumBatchedTokens);
    parts.policies().budgetSet();
  }

  /**
   * The executor runs steps in order, so this step can write to blocks that an earlier one wrote
   * to; unless an earlier one was given up without an answer.
   */
  private void reuseBlocksOfEarlierSteps() {
    if (unansweredStepId == 0) {
      state.kv.acknowledge(state.stepId - 1);
    }
  }

  @Override
  public void planned(StepPlan planned, long nowNs) {
    final PlanBuffer plan = inFlight.requireLatest(planned);
    plan.stampEnd(nowNs);
    state.events.planned(
        plan,
        state.running.size(),
        state.waiting.size(),
        state.preemptedWaiting,
        state.kv.freeBlocks());
    transfers.planned(plan, nowNs);
  }

  @Override
  public void update(StepPlan planned, StepOutput output, long nowNs) {
    final PlanBuffer plan = inFlight.requireOldest(planned);
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
    transfers.ended(plan, true, nowNs);
    outputStage.apply(plan, output, nowNs);
    state.kv.stepEnded(plan.stepId());
    if (output.hasDrafts()) {
      outputStage.takeDrafts(plan, output);
    }
    parts.policies().served(plan, nowNs);
    acknowledgeUpTo(plan.stepId());
    inFlight.removeOldest();
  }

  @Override
  public void abandon(
      StepPlan planned, Throwable cause, StepAcknowledgement acknowledgement, long nowNs) {
    final PlanBuffer plan = inFlight.requireOldest(planned);
    transfers.ended(plan, false, nowNs);
    outputStage.failAll(plan, cause, nowNs);
    state.kv.stepEnded(plan.stepId());
    if (acknowledgement == StepAcknowledgement.DONE) {
      acknowledgeUpTo(plan.stepId());
    } else {
      unansweredStepId = plan.stepId();
    }
    inFlight.removeOldest();
  }

  @Override
  public void acknowledge(long stepId) {
    acknowledgeUpTo(stepId);
  }

  /** The executor answers in order, so a step given up before is over too. */
  private void acknowledgeUpTo(long stepId) {
    if (unansweredStepId <= stepId) {
      unansweredStepId = 0;
    }
    state.kv.acknowledge(stepId);
  }

  @Override
  public void proposeDrafts(RequestView request, int[] tokenIds, int count) {
    final RequestState proposed = (RequestState) request;
    if (proposed.status != RequestStatus.FINISHED) {
      parts.speculation().propose(proposed, tokenIds, count);
    }
  }

  @Override
  public void setPauseState(PauseState pauseState) {
    state.pauseState = pauseState;
  }

  @Override
  public PauseState pauseState() {
    return state.pauseState;
  }

  @Override
  public boolean resetPrefixCache(ResetScope scope, long nowNs) {
    state.events.cacheReset(state.stepId, scope, nowNs);
    if (scope == ResetScope.PREEMPT_RUNNING) {
      for (int i = state.running.size() - 1; i >= 0; i--) {
        final RequestState victim = state.running.removeAt(i);
        parts
            .preemption()
            .preempt(victim, PreemptionCause.CACHE_RESET, null, 0, state.kv.freeBlocks());
      }
    }
    return state.kv.reset();
  }

  @Override
  public int runningCount() {
    return state.running.size();
  }

  @Override
  public int unfinishedCount() {
    return switch (state.pauseState) {
      case RUNNING -> state.running.size() + state.waiting.size();
      case NO_ADMISSIONS -> state.running.size();
      case PAUSED -> 0;
    };
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
        state.hostHitTokens,
        state.savedBlocks,
        state.loadedBlocks,
        parts.speculation().drafts(),
        parts.speculation().draftTokens(),
        parts.speculation().acceptedTokens(),
        parts.policies().faults(),
        parts.policies().policyNs());
  }

  /** Visits the waiting requests in the order of their admission. For tests and diagnosis. */
  public void forEachWaiting(Consumer<? super RequestView> visitor) {
    state.waiting.forEachInOrder(visitor::accept);
  }

  /** Visits the waiting requests that were passed over. For tests and diagnosis. */
  public void forEachPassedOver(Consumer<? super RequestView> visitor) {
    state.waiting.forEachPassedOver(visitor::accept);
  }

  /** How often the draft token at {@code position} was accepted. For tests and diagnosis. */
  public long acceptedDraftsAt(int position) {
    return parts.speculation().acceptedAt(position);
  }

  /** Visits the running requests in the order of their admission. For tests and diagnosis. */
  public void forEachRunning(Consumer<? super RequestView> visitor) {
    final RunningList running = state.running;
    for (int i = 0; i < running.size(); i++) {
      visitor.accept(running.get(i));
    }
  }
}
