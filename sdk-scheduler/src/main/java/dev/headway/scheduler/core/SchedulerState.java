package dev.headway.scheduler.core;

import dev.headway.api.config.Compatibility;
import dev.headway.api.config.EngineLimits;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.support.SimpleEndedRequests;
import dev.headway.scheduler.queue.AdmissionOrder;
import dev.headway.scheduler.queue.AdmissionQueue;
import dev.headway.scheduler.queue.RunningList;
import dev.headway.scheduler.queue.TwoLineQueue;
import dev.headway.scheduler.queue.VictimRule;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/**
 * State shared by the phases of a step: queues, running list, KV cache and probe. Plain fields;
 * engine thread only.
 */
final class SchedulerState {

  /** The settings, with the limits of the step being planned. */
  SchedulerConfig config;

  final KvCacheManager kv;
  final SchedulerEvents events;
  final RunningList running;
  final VictimRule victimRule;
  final WaitLedger waits;

  final StepLimits limits;
  final SchedulerCounts counts;

  final AdapterCounts adapters = new AdapterCounts();

  /** How much of scheduling is held back. */
  PauseState pauseState = PauseState.RUNNING;

  /** Number of the latest step. */
  long stepId;

  /** Whether the step being planned had too few tokens for what a request would have computed. */
  boolean tokensShort;

  /** Requests held from outside; null until there was one. */
  @Nullable Holds holds;

  /**
   * Whether the end of a request whose hold has failed is reported with a step's outputs, as by
   * vLLM.
   */
  final boolean tellsFailedHoldsLate;

  /** Whether any request had a grammar so far. */
  boolean hasGrammars;

  /** Waiting requests that were preempted. */
  int preemptedWaiting;

  /** What is left of the step being planned. */
  final StepBudget budget;

  /** Draft tokens; null if none are verified. */
  final @Nullable Speculation speculation;

  /** Steps planned before outputs are known; null if none are. */
  final @Nullable StepsAhead ahead;

  /** Steps without prompts; null if there are none. */
  final @Nullable PrefillThrottle throttle;

  /** The adapters of the step being planned; null if their number has no limit. */
  final @Nullable LoraSeats loras;

  /** The running requests in the middle of their prompt; null if their number has no limit. */
  @Nullable PartialPrefills partials;

  /** What steps encode; null if there is no encoder. */
  final @Nullable EncoderBudget encoder;

  /** Dealings with the KV connector; null without one. */
  @Nullable KvExchange exchange;

  /** The newest step whose plan is made and has entries. */
  long latestStepId;

  /** The newest step whose answer is processed, or being so. */
  long answeredStepId;

  /** Requests that go on with further input; null before the first. */
  @Nullable Sessions sessions;

  /** The waiting requests; another queue before the first request where a policy orders them. */
  AdmissionQueue waiting;

  private SimpleEndedRequests preemptedSince = new SimpleEndedRequests();
  private SimpleEndedRequests finishedSince = new SimpleEndedRequests();

  SchedulerState(
      SchedulerConfig config,
      KvCacheManager kv,
      SchedulerEvents events,
      @Nullable PrefillGate prefillGate) {
    this.config = config;
    this.kv = kv;
    this.events = events;
    victimRule = victimRule(config);
    tellsFailedHoldsLate = config.compatibility() == Compatibility.VLLM_0_28;
    running = new RunningList(config.limits().maxNumSeqs());
    waits = new WaitLedger(events, config.limits().maxNumSeqs());
    limits = new StepLimits(config, kv.shape());
    counts = new SchedulerCounts(config.prefixCache().isEnabled());
    budget = new StepBudget(config.speculation().draftSlots());
    speculation = Speculation.of(config.speculation(), config.compatibility());
    ahead = StepsAhead.of(config.pipeline(), kv);
    throttle = PrefillThrottle.of(prefillGate, config.prefillScheduleInterval());
    encoder = EncoderBudget.of(config);
    partials = PartialPrefills.of(config, running);
    loras = config.maxLoras() == 0 ? null : new LoraSeats(config, running);
    waiting =
        queue(
            config.queuePolicy() == QueuePolicy.FCFS
                ? TwoLineQueue.byArrival()
                : TwoLineQueue.byPriority());
  }

  /** Most requests are never held. */
  Holds holds() {
    if (holds == null) {
      holds = new Holds(this);
    }
    return holds;
  }

  /** The following steps have other limits. */
  void adjust(EngineLimits limits) {
    config = limits.applyTo(config);
    this.limits.adjust(config);
    partials = PartialPrefills.of(config, running);
  }

  /** Makes the queue of waiting requests. */
  AdmissionQueue queue(AdmissionOrder order) {
    return new AdmissionQueue(order, loras, waits::reconsidered);
  }

  private static VictimRule victimRule(SchedulerConfig config) {
    if (config.queuePolicy() == QueuePolicy.FCFS) {
      return VictimRule.LAST_ADMITTED;
    }
    return config.compatibility() == Compatibility.HEADWAY
        ? VictimRule.LEAST_IMPORTANT
        : VictimRule.LEAST_IMPORTANT_LIKE_VLLM;
  }

  /**
   * The newest step that may still write to the blocks of a request. vLLM has none, but for loads
   * that are not ordered behind steps: then all that are out.
   */
  long fenceOf(RequestState request) {
    if (limits.finishesUnschedulable) {
      return request.lastStepId;
    }
    return exchange != null && exchange.defersFrees() && request.lastStepId > answeredStepId
        ? latestStepId
        : 0;
  }

  /** Whether no sequence holds blocks. */
  boolean isCacheEmpty() {
    return kv.freeBlocks() == kv.shape().usableBlocks();
  }

  SimpleEndedRequests preemptedSince() {
    return preemptedSince;
  }

  SimpleEndedRequests finishedSince() {
    return finishedSince;
  }

  /** Returns the requests preempted since the last call, in exchange for a used list. */
  SimpleEndedRequests takePreemptedSince(SimpleEndedRequests used) {
    final SimpleEndedRequests taken = preemptedSince;
    used.clear();
    preemptedSince = used;
    return taken;
  }

  /** Returns the requests ended since the last call, in exchange for a used list. */
  SimpleEndedRequests takeFinishedSince(SimpleEndedRequests used) {
    final SimpleEndedRequests taken = finishedSince;
    used.clear();
    finishedSince = used;
    return taken;
  }
}
