package dev.headway.scheduler.core;

import dev.headway.api.config.Compatibility;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.support.SimpleEndedRequests;
import dev.headway.scheduler.queue.AdmissionQueue;
import dev.headway.scheduler.queue.RunningList;
import dev.headway.scheduler.queue.TwoLineQueue;
import dev.headway.scheduler.queue.VictimRule;

/**
 * State shared by the phases of a step: queues, running list, KV cache and probe. Plain fields;
 * engine thread only.
 */
final class SchedulerState {

  final SchedulerConfig config;
  final KvCacheManager kv;
  final SchedulerEvents events;
  final RunningList running;
  final VictimRule victimRule;
  final WaitLedger waits;

  final int maxNumBatchedTokens;
  final int maxModelLen;

  /** Most tokens of a step, excluding draft slots. */
  final int maxNumScheduledTokens;

  /** Most requests admitted to run at once. */
  final int maxNumActiveSeqs;

  final int maxInFlightTokens;
  final int watermarkBlocks;
  final boolean wholeSequenceGate;
  final boolean finishesUnschedulable;
  private final boolean keepsWholeContext;

  /** How much of scheduling is held back. */
  PauseState pauseState = PauseState.RUNNING;

  /** Number of the latest step. */
  long stepId;

  /** Waiting requests that were preempted. */
  int preemptedWaiting;

  long admissions;
  long preemptions;
  long finished;
  long prefixLookups;
  long prefixQueriedTokens;
  long prefixHitTokens;
  long resumedLookups;
  long resumedQueriedTokens;
  long resumedHitTokens;
  long hostHitTokens;
  long savedBlocks;
  long loadedBlocks;

  /** The waiting requests; set once, right after construction. */
  AdmissionQueue waiting = TwoLineQueue.byArrival();

  private SimpleEndedRequests preemptedSince = new SimpleEndedRequests();
  private SimpleEndedRequests finishedSince = new SimpleEndedRequests();

  SchedulerState(SchedulerConfig config, KvCacheManager kv, SchedulerEvents events) {
    this.config = config;
    this.kv = kv;
    this.events = events;
    victimRule = victimRule(config);
    running = new RunningList(config.limits().maxNumSeqs());
    waits = new WaitLedger(events, config.limits().maxNumSeqs());
    maxNumBatchedTokens = config.limits().maxNumBatchedTokens();
    maxModelLen = config.limits().maxModelLen();
    maxNumScheduledTokens =
        config.maxNumScheduledTokens() == 0 ? maxNumBatchedTokens : config.maxNumScheduledTokens();
    maxNumActiveSeqs =
        config.maxNumActiveSeqs() == 0 ? config.limits().maxNumSeqs() : config.maxNumActiveSeqs();
    maxInFlightTokens = config.inFlightTokenLimit();
    watermarkBlocks = (int) (config.admission().watermark() * kv.shape().numBlocks());
    wholeSequenceGate = config.admission().fullSequenceGate() == FullSequenceGate.WHOLE_SEQUENCE;
    keepsWholeContext = keepsWholeContext(kv.shape());
    finishesUnschedulable = config.compatibility() == Compatibility.HEADWAY;
  }

  /** Whether an empty pool could not admit a sequence of {@code tokens} tokens. */
  boolean isBeyondAdmission(int tokens) {
    return (wholeSequenceGate || keepsWholeContext) && isBeyondPool(tokens);
  }

  /** Whether an empty pool could not hold {@code tokens} tokens of a sequence that runs. */
  boolean isBeyondGrowth(int tokens) {
    return keepsWholeContext && isBeyondPool(tokens); // a window may hold less than its bound
  }

  private boolean isBeyondPool(int tokens) {
    return kv.shape().blocksToHold(tokens, maxInFlightTokens, maxModelLen)
        > kv.shape().usableBlocks();
  }

  private static VictimRule victimRule(SchedulerConfig config) {
    if (config.queuePolicy() == QueuePolicy.FCFS) {
      return VictimRule.LAST_ADMITTED;
    }
    return config.compatibility() == Compatibility.HEADWAY
        ? VictimRule.LEAST_IMPORTANT
        : VictimRule.LEAST_IMPORTANT_LIKE_VLLM;
  }

  private static boolean keepsWholeContext(KvCacheShape shape) {
    return shape.groups().stream().allMatch(KvGroup.FullAttention.class::isInstance);
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
