package dev.headway.scheduler.core;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.config.EngineLimits;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.engine.SchedulerContext;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.policy.Policies;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import dev.headway.api.request.SessionInput;
import dev.headway.api.schedule.BlockFence;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.schedule.SchedulerStats;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.step.TransferReport;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.queue.AdmissionOrder;
import dev.headway.scheduler.state.RequestState;
import dev.headway.scheduler.state.Session;
import dev.headway.scheduler.time.SystemNanoClock;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Continuous batching with chunked prefill, prefix caching, speculation and preemption by
 * recomputation, decision for decision as vLLM 0.28's v1 scheduler.
 *
 * <p>Prefill and decode are not distinguished: each step schedules for every running request the
 * tokens that are known and not computed, within the token budget. Running requests are scheduled
 * first, then waiting ones are admitted; when KV blocks run out, a running request is preempted.
 *
 * <p>Engine thread only. As many steps may be out between {@link #schedule} and {@link #complete}
 * as {@code pipeline.maxStepsInFlight()} says. Made by {@link #builder}.
 */
public final class ContinuousBatchingScheduler implements Scheduler {

  private final SchedulerState state;
  private final NanoClock clock;
  private final @Nullable PolicyDesk policies;
  private final ChunkRule chunks;
  private final Preemption preemption;
  private final Retirement retirement;
  private final RunningPhase runningPhase;
  private final AdmissionPhase admissionPhase;
  private final OutputStage outputStage;
  private final StepsInFlight inFlight;
  private final @Nullable LoadReports loadReports;
  private final Probe probe;
  private @Nullable KvTransferEvents transfers;
  private final int vocabularySize;
  private long arrivals;

  /** The latest step failed with its blocks held; 0 if none is. */
  private long heldStepId;

  private ContinuousBatchingScheduler(Builder builder) {
    final SchedulerConfig config = builder.config;
    final KvCacheManager kv = builder.kv;
    probe = builder.probe;
    vocabularySize = builder.vocabularySize;
    clock = builder.clock != null ? builder.clock : new SystemNanoClock();
    state = new SchedulerState(config, kv, new SchedulerEvents(probe), builder.prefillGate);
    if (builder.connector != null) {
      state.exchange = KvExchange.of(state, builder.connector);
    }
    policies = PolicyDesk.of(builder.policies, state);
    final AdmissionOrder order = policies == null ? null : policies.order();
    if (order != null) {
      state.waiting = state.queue(order);
    }
    chunks = new ChunkRule(state, policies);
    preemption = new Preemption(state);
    retirement = new Retirement(state, policies);
    final Progress progress = new Progress(state);
    final SteadyDecodes steady = new SteadyDecodes(state, builder.vocabularySize);
    runningPhase =
        new RunningPhase(state, steady, chunks, progress, preemption, retirement, policies);
    admissionPhase = new AdmissionPhase(state, chunks, progress, preemption, retirement, policies);
    inFlight =
        new StepsInFlight(
            config.pipeline().maxStepsInFlight(),
            config.limits().maxNumSeqs(),
            kv.shape().groups().size(),
            config.speculation().numSpeculativeTokens());
    outputStage = new OutputStage(state, retirement, inFlight, steady, builder.vocabularySize);
    loadReports = LoadReports.of(state, retirement, preemption, inFlight);
  }

  /** Makes the scheduler of an engine; the default of {@code HeadwayEngine.builder}. */
  public static ContinuousBatchingScheduler of(SchedulerContext context) {
    return builder(context.config(), context.kvCache())
        .vocabularySize(context.executorShape().vocabularySize())
        .probe(context.probe())
        .clock(context.clock())
        .policies(context.policies())
        .kvConnector(context.kvConnector())
        .build();
  }

  /**
   * Starts a scheduler.
   *
   * @param kv the cache, whose ownership passes to the scheduler; built with the same limits
   */
  public static Builder builder(SchedulerConfig config, KvCacheManager kv) {
    return new Builder(config, kv);
  }

  @Override
  public RequestView add(Request request, OutputListener listener, long arrivalNs) {
    final RequestState added =
        new RequestState(request, listener, arrivals++, arrivalNs, clock.nanoTime());
    added.owner = this;
    added.attach(state.kv.open(added));
    if (state.encoder != null) {
      state.encoder.open(added);
    }
    added.setLengthLimit(state.limits.maxModelLen);
    if (request.isResumable()) {
      added.session = new Session();
      if (state.sessions == null) {
        state.sessions = new Sessions(state, preemption, retirement);
      }
    }
    if (request.forcedTokens() > 0) {
      added.grammar = new ForcedTokens(request, vocabularySize);
      state.hasGrammars = true;
    }
    if (policies != null) {
      policies.queued(added);
    }
    final boolean isHeld = !request.holds().isEmpty();
    if (isHeld) {
      state.holds().add(added);
    } else {
      state.waiting.add(added);
    }
    state.waits.queued(added);
    if (request.lora() != null) {
      state.adapters.queued(added, request.lora());
    }
    state.events.queued(state.stepId, added);
    if (isHeld) {
      state.holds().begin(added);
    }
    return added;
  }

  @Override
  public boolean followsGrammars() {
    return true;
  }

  @Override
  public boolean followsConnector() {
    return true;
  }

  @Override
  public void transfersEnded(TransferReport report) {
    if (loadReports != null) {
      loadReports.betweenSteps(report, clock.nanoTime());
    }
  }

  @Override
  public void release(RequestView request, Hold hold) {
    state.holds().release(requireOwn(request), hold, clock.nanoTime());
  }

  @Override
  public boolean keepsSessions() {
    return true;
  }

  @Override
  public void append(RequestView request, SessionInput input, long arrivalNs) {
    sessionsOf(request).append(requireOwn(request), input, arrivalNs, clock.nanoTime());
  }

  @Override
  public void endInput(RequestView request) {
    sessionsOf(request).endInput(requireOwn(request), clock.nanoTime());
  }

  private Sessions sessionsOf(RequestView request) {
    if (state.sessions == null) {
      throw new IllegalArgumentException(
          "only a session gets further input: id=" + request.id() + "; build it resumable()");
    }
    return state.sessions;
  }

  @Override
  public boolean finish(RequestView request, FinishReason reason, @Nullable Throwable cause) {
    final RequestState ended = requireOwn(request);
    if (ended.status == RequestStatus.FINISHED) {
      return false;
    }
    if (cause != null && reason == FinishReason.HOLD_FAILED && state.tellsFailedHoldsLate) {
      state.holds().failLate(ended, cause);
      return true;
    }
    if (ended.status == RequestStatus.RUNNING) {
      state.running.remove(ended);
    }
    retirement.retire(ended, reason, ABSENT, cause, clock.nanoTime());
    return true;
  }

  private RequestState requireOwn(RequestView request) {
    if (request instanceof RequestState own && own.owner == this) {
      return own;
    }
    throw new IllegalArgumentException(
        "the request must be what add of this scheduler returned: id="
            + request.id()
            + ", number="
            + request.number()
            + ", class="
            + request.getClass().getName());
  }

  @Override
  public StepPlan schedule() {
    final long nowNs = clock.nanoTime();
    final long hostBeginNs = clock.isVirtual() ? clock.hostNanoTime() : nowNs;
    final PlanBuffer plan = inFlight.begin(state.stepId + 1);
    plan.begin(++state.stepId, nowNs);
    state.kv.beginStep(state.stepId);
    reuseBlocksOfEarlierSteps();
    beginBudget(plan);
    state.tokensShort = false;
    chunks.begin();
    if (state.encoder != null) {
      state.encoder.begin(plan);
    }
    if (state.throttle != null) {
      state.throttle.begin(state.stepId, state.running);
    }

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

    if (policies != null) {
      policies.planned(plan.size() > 0, state.tokensShort);
    }
    state.waits.endStep(state.stepId);
    plan.complete(state);
    if (state.encoder != null) {
      state.encoder.end();
    }
    if (state.ahead != null) {
      state.ahead.proposeDrafts(plan);
    }
    if (plan.size() > 0) {
      state.latestStepId = state.stepId;
    }
    announce(plan, hostBeginNs);
    return plan;
  }

  private void beginBudget(PlanBuffer plan) {
    final int most = state.limits.maxNumScheduledTokens;
    final int tokens = policies == null ? most : policies.beginStep(plan, most);
    final boolean paused = state.pauseState == PauseState.PAUSED;
    state.budget.begin(paused ? 0 : tokens, state.limits.maxNumBatchedTokens);
    if (policies != null) {
      policies.budgetSet();
    }
  }

  /**
   * The executor runs steps in order, so this step can write to blocks that an earlier one that is
   * still out writes to; unless an earlier one failed with its blocks held.
   */
  private void reuseBlocksOfEarlierSteps() {
    final boolean defers = state.exchange != null && state.exchange.defersFrees();
    if (heldStepId == 0 && inFlight.count() > 1 && !defers) {
      state.kv.acknowledge(state.stepId - 1);
    }
  }

  /** The plan is made: stamps it and notifies the probe. */
  private void announce(PlanBuffer plan, long hostBeginNs) {
    final long nowNs = clock.nanoTime();
    final long hostNs = clock.isVirtual() ? clock.hostNanoTime() : nowNs;
    plan.stampEnd(nowNs, hostNs - hostBeginNs);
    state.waits.planned(nowNs);
    state.events.planned(
        plan,
        state.running.size(),
        state.waiting.size(),
        state.preemptedWaiting,
        state.kv.freeBlocks());
    if (plan.movesBlocks()) {
      transfers().planned(plan, nowNs);
    }
  }

  /** Most caches never move blocks. */
  private KvTransferEvents transfers() {
    if (transfers == null) {
      transfers = new KvTransferEvents(probe);
    }
    return transfers;
  }

  private void endTransfers(PlanBuffer plan, boolean succeeded, long nowNs) {
    if (plan.movesBlocks()) {
      transfers().ended(plan, succeeded, nowNs);
    }
  }

  @Override
  public void complete(StepPlan planned, StepOutput output) {
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
    final long nowNs = output.availableNs() == ABSENT ? clock.nanoTime() : output.availableNs();
    endTransfers(plan, true, nowNs);
    if (plan.size() > 0) {
      state.answeredStepId = plan.stepId();
    }
    if (loadReports != null) {
      loadReports.beforeResults(plan, output, nowNs);
    }
    outputStage.apply(plan, output, nowNs);
    if (state.holds != null) {
      state.holds.endFailed(retirement, nowNs);
    }
    if (loadReports != null) {
      loadReports.behindResults(output, nowNs);
    }
    state.kv.stepEnded(plan.stepId());
    if (output.hasDrafts()) {
      outputStage.takeDrafts(plan, output);
    }
    if (policies != null) {
      policies.served(plan, nowNs);
    }
    acknowledgeUpTo(plan.stepId());
    inFlight.removeOldest();
  }

  @Override
  public void fail(StepPlan planned, Throwable cause, BlockFence fence) {
    final long nowNs = clock.nanoTime();
    final PlanBuffer plan = inFlight.requireOldest(planned);
    endTransfers(plan, false, nowNs);
    outputStage.failAll(plan, cause, nowNs);
    state.kv.stepEnded(plan.stepId());
    if (fence == BlockFence.RELEASE) {
      acknowledgeUpTo(plan.stepId());
    } else {
      heldStepId = plan.stepId();
    }
    inFlight.removeOldest();
  }

  @Override
  public void releaseFence(long stepId) {
    acknowledgeUpTo(stepId);
  }

  /** The executor answers in order, so a step that failed before is over too. */
  private void acknowledgeUpTo(long stepId) {
    if (heldStepId <= stepId) {
      heldStepId = 0;
    }
    state.kv.acknowledge(stepId);
  }

  /**
   * Proposes draft tokens for a request's next step, in place of those it had, where they come
   * later than their step's {@link StepOutput}. Ignored for a request that has ended; a request in
   * the middle of its prompt keeps none.
   *
   * @param request what {@link #add} of this scheduler returned
   * @param tokenIds the drafts, in order, from the array's start
   * @param count how many of them to use
   * @throws IllegalArgumentException if the request is of another scheduler
   */
  public void proposeDrafts(RequestView request, int[] tokenIds, int count) {
    final RequestState proposed = requireOwn(request);
    if (state.speculation != null && proposed.status != RequestStatus.FINISHED) {
      state.speculation.propose(proposed, tokenIds, count);
    }
  }

  /**
   * Replaces the drafts that a step was planned with and only the executor knew, once it has told
   * them: behind the first that the grammar of their request refuses, and behind those given, the
   * scheduled ones stand for none. For steps planned ahead of outputs, before the step is
   * submitted.
   *
   * @param plan one that is out
   * @param request nothing happens if it has ended or has no drafts in the plan
   * @return how many of the scheduled drafts stand for none
   * @throws IllegalArgumentException if the request is of another scheduler
   */
  public int replaceDrafts(StepPlan plan, RequestView request, int[] tokenIds, int count) {
    final RequestState proposed = requireOwn(request);
    return proposed.status == RequestStatus.FINISHED
        ? 0
        : inFlight.replaceDrafts(plan, proposed, tokenIds, count);
  }

  @Override
  public boolean takesLimits() {
    return true;
  }

  @Override
  public void setLimits(EngineLimits limits) {
    final EngineLimits old = EngineLimits.of(state.config);
    if (!limits.equals(old)) {
      state.adjust(limits);
      state.events.limitsChanged(state.stepId, old, limits, clock.nanoTime());
    }
  }

  @Override
  public void setPauseState(PauseState pauseState) {
    state.pauseState = Objects.requireNonNull(pauseState, "pauseState");
  }

  @Override
  public PauseState pauseState() {
    return state.pauseState;
  }

  @Override
  public boolean resetPrefixCache(ResetScope scope) {
    final long nowNs = clock.nanoTime();
    state.events.cacheReset(state.stepId, scope, nowNs);
    if (scope == ResetScope.PREEMPT_RUNNING) {
      preemption.resetAll(nowNs);
    }
    return state.kv.reset();
  }

  @Override
  public boolean retainsByPriority() {
    return state.kv.retainsByPriority();
  }

  @Override
  public int retainPrefix(Request prefix, KvCacheRetention retention) {
    return PrefixRetainer.retain(state.kv, prefix, retention, clock.nanoTime());
  }

  @Override
  public void resetEncoderCache() {
    if (state.encoder != null) {
      state.encoder.reset();
    }
  }

  @Override
  public int runningCount() {
    return state.running.size();
  }

  @Override
  public int waitingCount() {
    return state.waiting.size();
  }

  @Override
  public boolean hasWork() {
    return state.running.size() > 0
        || state.waiting.candidates() > 0
        || state.finishedSince().size() > 0;
  }

  @Override
  public SchedulerStats stats() {
    final SchedulerStats.Builder stats =
        state
            .counts
            .addTo(SchedulerStats.builder())
            .steps(state.stepId)
            .adapters(state.adapters.loads());
    if (state.speculation != null) {
      state.speculation.addTo(stats);
    }
    if (policies != null) {
      stats.policyFaults(policies.faults()).policyNs(policies.policyNs());
    }
    return stats.build();
  }

  /** What it holds at present, for tests and diagnosis. */
  public SchedulerInspection inspect() {
    return new SchedulerInspection(state);
  }

  /** Collects the parts of a scheduler; not thread-safe. */
  public static final class Builder {

    private static final Probe SILENT = new Probe() {};

    private final SchedulerConfig config;
    private final KvCacheManager kv;
    private int vocabularySize = Integer.MAX_VALUE;
    private Probe probe = SILENT;
    private Policies policies = Policies.NONE;
    private @Nullable NanoClock clock;
    private @Nullable PrefillGate prefillGate;
    private @Nullable KvConnector connector;

    private Builder(SchedulerConfig config, KvCacheManager kv) {
      this.config = config;
      this.kv = kv;
    }

    /** Answered token ids must be below this; any unless set. */
    public Builder vocabularySize(int tokens) {
      vocabularySize = tokens;
      return this;
    }

    /** Is notified of every decision; none unless set. */
    public Builder probe(Probe notified) {
      probe = Objects.requireNonNull(notified, "probe");
      return this;
    }

    /** The clock; the machine's, beginning now, unless set. */
    public Builder clock(NanoClock read) {
      clock = Objects.requireNonNull(read, "clock");
      return this;
    }

    /** The decisions that are replaced; stateful ones belong to this scheduler alone. */
    public Builder policies(Policies replaced) {
      policies = Objects.requireNonNull(replaced, "policies");
      return this;
    }

    /**
     * In which steps prompts are computed beside decodes; as {@code
     * config.prefillScheduleInterval()} says unless set.
     */
    public Builder prefillGate(PrefillGate gate) {
      prefillGate = Objects.requireNonNull(gate, "prefillGate");
      return this;
    }

    /** Where KV comes from and goes to outside the engine; nowhere unless set. */
    public Builder kvConnector(@Nullable KvConnector asked) {
      connector = asked;
      return this;
    }

    /** Makes the scheduler. */
    public ContinuousBatchingScheduler build() {
      return new ContinuousBatchingScheduler(this);
    }
  }
}
