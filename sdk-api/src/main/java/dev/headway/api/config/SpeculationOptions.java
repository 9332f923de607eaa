package dev.headway.api.config;

import java.util.List;
import java.util.Objects;

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

  /** Draft tokens for a range of batch sizes. Immutable; any thread. */
  public static final class BatchSizeRange {

    private final int fromSeqs;
    private final int toSeqs;
    private final int numSpeculativeTokens;

    private BatchSizeRange(Builder builder) {
      fromSeqs = builder.fromSeqs;
      toSeqs = builder.toSeqs;
      numSpeculativeTokens = builder.numSpeculativeTokens;
    }

    /** Starts a range; both its ends must be set. */
    public static Builder builder() {
      return new Builder();
    }

    /** Fewest scheduled requests, >= 1. */
    public int fromSeqs() {
      return fromSeqs;
    }

    /** Most scheduled requests, inclusive. */
    public int toSeqs() {
      return toSeqs;
    }

    /** Draft tokens per request, >= 0. */
    public int numSpeculativeTokens() {
      return numSpeculativeTokens;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof BatchSizeRange that
          && fromSeqs == that.fromSeqs
          && toSeqs == that.toSeqs
          && numSpeculativeTokens == that.numSpeculativeTokens;
    }

    @Override
    public int hashCode() {
      return Objects.hash(fromSeqs, toSeqs, numSpeculativeTokens);
    }

    @Override
    public String toString() {
      return "BatchSizeRange[fromSeqs="
          + fromSeqs
          + ", toSeqs="
          + toSeqs
          + ", numSpeculativeTokens="
          + numSpeculativeTokens
          + "]";
    }

    /** Collects the figures of a range. Not thread-safe. */
    public static final class Builder {

      private int fromSeqs;
      private int toSeqs;
      private int numSpeculativeTokens;

      private Builder() {}

      /** Fewest scheduled requests, >= 1. */
      public Builder fromSeqs(int seqs) {
        this.fromSeqs = seqs;
        return this;
      }

      /** Most scheduled requests, inclusive, >= fromSeqs. */
      public Builder toSeqs(int seqs) {
        this.toSeqs = seqs;
        return this;
      }

      /** Draft tokens per request, >= 0; 0 unless set. */
      public Builder numSpeculativeTokens(int tokens) {
        this.numSpeculativeTokens = tokens;
        return this;
      }

      /**
       * Returns the range.
       *
       * @throws IllegalArgumentException naming the figures and the constraint
       */
      public BatchSizeRange build() {
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
        return new BatchSizeRange(this);
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
