package dev.headway.scheduler.core;

import dev.headway.api.config.Compatibility;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;

/**
 * What the configuration and the cache's shape allow in a step. Engine thread; changes between
 * steps only.
 */
final class StepLimits {

  final int maxNumSeqs;
  final int maxNumBatchedTokens;
  final int maxModelLen;

  /** Most tokens of a step, excluding draft slots. */
  int maxNumScheduledTokens;

  /** Most requests admitted to run at once. */
  int maxNumActiveSeqs;

  /** Most draft tokens of a request in a step. */
  final int numSpeculativeTokens;

  /** KV slots behind the scheduled tokens that a drafter writes to. */
  final int lookaheadTokens;

  /** Blocks that an admission leaves free. */
  int watermarkBlocks;

  /** Most tokens of a request in a step. */
  int longPrefillCap;

  final boolean wholeSequenceGate;

  /** Whether what can never be scheduled ends; vLLM leaves it waiting. */
  final boolean finishesUnschedulable;

  private final KvCacheShape shape;
  private final int maxInFlightTokens;

  /** Whether every layer attends to the whole context. */
  final boolean keepsWholeContext;

  StepLimits(SchedulerConfig config, KvCacheShape shape) {
    this.shape = shape;
    maxNumSeqs = config.limits().maxNumSeqs();
    maxNumBatchedTokens = config.limits().maxNumBatchedTokens();
    maxModelLen = config.limits().maxModelLen();
    numSpeculativeTokens = config.speculation().numSpeculativeTokens();
    lookaheadTokens = config.speculation().lookaheadTokens();
    maxInFlightTokens = config.inFlightTokenLimit();
    wholeSequenceGate = config.admission().fullSequenceGate() == FullSequenceGate.WHOLE_SEQUENCE;
    finishesUnschedulable = config.compatibility() == Compatibility.HEADWAY;
    adjust(config);
    keepsWholeContext = shape.groups().stream().allMatch(KvGroup.FullAttention.class::isInstance);
  }

  /** Takes over the limits that may change. */
  void adjust(SchedulerConfig config) {
    maxNumScheduledTokens = unlessZero(config.maxNumScheduledTokens(), maxNumBatchedTokens);
    maxNumActiveSeqs = unlessZero(config.maxNumActiveSeqs(), maxNumSeqs);
    watermarkBlocks = (int) (config.admission().watermark() * shape.numBlocks());
    longPrefillCap = unlessZero(config.longPrefillTokenThreshold(), Integer.MAX_VALUE);
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
    return shape.blocksToHold(tokens, maxInFlightTokens, maxModelLen) > shape.usableBlocks();
  }

  private static int unlessZero(int limit, int otherwise) {
    return limit == 0 ? otherwise : limit;
  }
}
