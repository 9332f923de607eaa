package dev.headway.api.config;

import java.util.List;

/**
 * Speculative decoding: draft tokens are scheduled as if they were known, and the rejected ones are
 * rolled back.
 *
 * @param method source of the draft tokens
 * @param numSpeculativeTokens draft tokens per request and step, >= 1 unless the method is NONE,
 *     then 0
 * @param drafting how the drafter runs
 * @param perBatchSize fewer drafts for larger batches: ranges of scheduled requests in ascending
 *     order; empty for the same number at every size
 */
public record SpeculationOptions(
    SpeculativeMethod method,
    int numSpeculativeTokens,
    Drafting drafting,
    List<BatchSizeRange> perBatchSize) {

  /** No speculation. */
  public static final SpeculationOptions NONE =
      new SpeculationOptions(SpeculativeMethod.NONE, 0, Drafting.SEQUENTIAL, List.of());

  /**
   * Draft tokens for a range of batch sizes.
   *
   * @param fromSeqs fewest scheduled requests, >= 1
   * @param toSeqs most, inclusive
   * @param numSpeculativeTokens draft tokens per request, >= 0
   */
  public record BatchSizeRange(int fromSeqs, int toSeqs, int numSpeculativeTokens) {

    /** Validates the components. */
    public BatchSizeRange {
      if (fromSeqs < 1 || toSeqs < fromSeqs || numSpeculativeTokens < 0) {
        throw new IllegalArgumentException(
            "a batch size range must have 1 <= fromSeqs <= toSeqs and numSpeculativeTokens >= 0:"
                + " fromSeqs="
                + fromSeqs
                + ", toSeqs="
                + toSeqs
                + ", numSpeculativeTokens="
                + numSpeculativeTokens);
      }
    }
  }

  /** Validates the components. */
  public SpeculationOptions {
    perBatchSize = List.copyOf(perBatchSize);
    if (method == SpeculativeMethod.NONE ? numSpeculativeTokens != 0 : numSpeculativeTokens < 1) {
      throw new IllegalArgumentException(
          "numSpeculativeTokens must be >= 1 with a speculative method and 0 without: method="
              + method
              + ", numSpeculativeTokens="
              + numSpeculativeTokens);
    }
    for (int i = 1; i < perBatchSize.size(); i++) {
      if (perBatchSize.get(i).fromSeqs() <= perBatchSize.get(i - 1).toSeqs()) {
        throw new IllegalArgumentException(
            "batch size ranges must ascend and not overlap: perBatchSize=" + perBatchSize);
      }
    }
  }

  /** Proposes this many draft tokens, one after the other, at every batch size. */
  public static SpeculationOptions of(SpeculativeMethod method, int numSpeculativeTokens) {
    return new SpeculationOptions(method, numSpeculativeTokens, Drafting.SEQUENTIAL, List.of());
  }

  /** KV slots behind the scheduled tokens that the drafter writes to. */
  public int lookaheadTokens() {
    return switch (method) {
      case NONE, NGRAM -> 0;
      case EAGLE, DRAFT_MODEL, MTP_MULTI -> numSpeculativeTokens;
      case DFLASH -> numSpeculativeTokens + 1;
    };
  }

  /** Slots of the batch that the drafter takes for each scheduled request. */
  public int draftSlots() {
    final boolean parallel = drafting == Drafting.PARALLEL;
    return switch (method) {
      case NONE, NGRAM, MTP_MULTI -> 0;
      case EAGLE -> parallel ? numSpeculativeTokens - 1 : 0;
      case DRAFT_MODEL -> parallel ? numSpeculativeTokens : 1;
      case DFLASH -> numSpeculativeTokens;
    };
  }

  /** Prompt tokens after a position that the drafter needs before it can compute its KV there. */
  public int prefillLookaheadTokens() {
    return switch (method) {
      case EAGLE -> 1;
      case MTP_MULTI -> numSpeculativeTokens;
      default -> 0;
    };
  }

  /**
   * Whether a prefix hit drops its last block: the drafter needs the hidden state before the first
   * computed token, and the cache does not store hidden states.
   */
  public boolean recomputesLastHit() {
    return method == SpeculativeMethod.EAGLE || method == SpeculativeMethod.MTP_MULTI;
  }

  /**
   * Draft tokens for a step with this many scheduled requests. Between two ranges the lower one
   * applies; before the first range it is 0; never more than {@link #numSpeculativeTokens()}.
   */
  public int draftTokensFor(int scheduledSeqs) {
    if (perBatchSize.isEmpty() || scheduledSeqs == 0) {
      return numSpeculativeTokens;
    }
    int tokens = 0;
    for (int i = 0; i < perBatchSize.size(); i++) {
      final BatchSizeRange range = perBatchSize.get(i);
      if (scheduledSeqs >= range.fromSeqs()) {
        tokens = range.numSpeculativeTokens();
      }
    }
    return Math.min(tokens, numSpeculativeTokens);
  }
}
