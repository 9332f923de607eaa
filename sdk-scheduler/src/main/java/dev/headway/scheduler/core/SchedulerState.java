package dev.headway.scheduler.core;

import dev.headway.api.config.Compatibility;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.probe.Probe;
import dev.headway.scheduler.queue.FcfsQueue;
import dev.headway.scheduler.queue.PriorityWaitingQueue;
import dev.headway.scheduler.queue.RunningList;
import dev.headway.scheduler.queue.VictimRule;
import dev.headway.scheduler.queue.WaitingQueue;

/**
 * What the phases of a step share: who waits, who runs, the blocks, and whom to tell. Plain fields;
 * engine thread only.
 */
final class SchedulerState {

  final SchedulerConfig config;
  final KvCacheManager kv;
  final Probe probe;
  final WaitingQueue waiting;
  final RunningList running;
  final VictimRule victimRule;
  final WaitLedger waits;

  final int maxNumBatchedTokens;
  final int maxModelLen;

  /** Most tokens a request gets in one step. */
  final int longPrefillCap;

  final int watermarkBlocks;
  final boolean wholeSequenceGate;
  final boolean endsDeadEnds;

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

  private EndedList preemptedSince = new EndedList();
  private EndedList finishedSince = new EndedList();

  SchedulerState(SchedulerConfig config, KvCacheManager kv, Probe probe) {
    final boolean fcfs = config.queuePolicy() == QueuePolicy.FCFS;
    this.config = config;
    this.kv = kv;
    this.probe = probe;
    waiting = fcfs ? new FcfsQueue() : new PriorityWaitingQueue();
    victimRule = fcfs ? VictimRule.LAST_ADMITTED : VictimRule.LEAST_IMPORTANT;
    running = new RunningList(config.limits().maxNumSeqs());
    waits = new WaitLedger(probe, config.limits().maxNumSeqs());
    maxNumBatchedTokens = config.limits().maxNumBatchedTokens();
    maxModelLen = config.limits().maxModelLen();
    longPrefillCap =
        config.longPrefillTokenThreshold() == 0
            ? Integer.MAX_VALUE
            : config.longPrefillTokenThreshold();
    watermarkBlocks = (int) (config.admission().watermark() * kv.shape().numBlocks());
    wholeSequenceGate = config.admission().fullSequenceGate() == FullSequenceGate.WHOLE_SEQUENCE;
    endsDeadEnds = config.compatibility() == Compatibility.HEADWAY;
  }

  EndedList preemptedSince() {
    return preemptedSince;
  }

  EndedList finishedSince() {
    return finishedSince;
  }

  /** Hands out who was preempted since the last call, in exchange for a used list. */
  EndedList takePreemptedSince(EndedList used) {
    final EndedList taken = preemptedSince;
    used.clear();
    preemptedSince = used;
    return taken;
  }

  /** Hands out who ended since the last call, in exchange for a used list. */
  EndedList takeFinishedSince(EndedList used) {
    final EndedList taken = finishedSince;
    used.clear();
    finishedSince = used;
    return taken;
  }
}
