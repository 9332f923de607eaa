package dev.headway.api.config;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import java.util.Objects;

/**
 * The limits of a step. Immutable; any thread.
 *
 * <pre>{@code
 * SchedulerLimits.builder(executor.shape()).maxNumBatchedTokens(512).build()
 * }</pre>
 */
public final class SchedulerLimits {

  /** Tokens per step where nothing else is asked for, as in vLLM. */
  public static final int DEFAULT_MAX_NUM_BATCHED_TOKENS = 2_048;

  private final int maxNumSeqs;
  private final int maxNumBatchedTokens;
  private final int maxModelLen;

  private SchedulerLimits(Builder builder) {
    maxNumSeqs = builder.maxNumSeqs;
    maxNumBatchedTokens = builder.maxNumBatchedTokens;
    maxModelLen = builder.maxModelLen;
  }

  /** Starts limits of which all three must be set. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Starts with what an executor can hold: its seats, its tokens per step (or {@link
   * #DEFAULT_MAX_NUM_BATCHED_TOKENS}, if it takes any number, or one for each seat, if those are
   * more), and the longest context of its model for which one request finds room in its KV cache.
   */
  public static Builder builder(ExecutorShape shape) {
    final int seqs = shape.maxNumSeqs();
    final int tokens =
        shape.maxNumBatchedTokens().orElse(Math.max(DEFAULT_MAX_NUM_BATCHED_TOKENS, seqs));
    return new Builder()
        .maxNumSeqs(seqs)
        .maxNumBatchedTokens(tokens)
        .maxModelLen(longestContext(shape, tokens));
  }

  private static int longestContext(ExecutorShape shape, int maxInFlightTokens) {
    final KvCacheShape kv = shape.kvCache();
    int fits = 2;
    int most = Math.max(2, shape.maxModelLen().orElse(kv.usableBlocks() * kv.blockSize()));
    while (fits < most) {
      final int tokens = fits + (most - fits + 1) / 2;
      if (kv.blocksToHold(tokens, maxInFlightTokens, tokens) <= kv.usableBlocks()) {
        fits = tokens;
      } else {
        most = tokens - 1;
      }
    }
    return fits;
  }

  /** Most requests running at once, >= 1. */
  public int maxNumSeqs() {
    return maxNumSeqs;
  }

  /** Most tokens scheduled in a step, >= maxNumSeqs. */
  public int maxNumBatchedTokens() {
    return maxNumBatchedTokens;
  }

  /** Longest prompt and output together, in tokens, >= 2. */
  public int maxModelLen() {
    return maxModelLen;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SchedulerLimits that
        && maxNumSeqs == that.maxNumSeqs
        && maxNumBatchedTokens == that.maxNumBatchedTokens
        && maxModelLen == that.maxModelLen;
  }

  @Override
  public int hashCode() {
    return Objects.hash(maxNumSeqs, maxNumBatchedTokens, maxModelLen);
  }

  @Override
  public String toString() {
    return "SchedulerLimits[maxNumSeqs="
        + maxNumSeqs
        + ", maxNumBatchedTokens="
        + maxNumBatchedTokens
        + ", maxModelLen="
        + maxModelLen
        + "]";
  }

  /** Collects limits. Not thread-safe. */
  public static final class Builder {

    private int maxNumSeqs;
    private int maxNumBatchedTokens;
    private int maxModelLen;

    private Builder() {}

    /** Most requests running at once, >= 1. */
    public Builder maxNumSeqs(int seqs) {
      this.maxNumSeqs = seqs;
      return this;
    }

    /** Most tokens scheduled in a step, >= maxNumSeqs. */
    public Builder maxNumBatchedTokens(int tokens) {
      this.maxNumBatchedTokens = tokens;
      return this;
    }

    /** Longest prompt and output together, in tokens, >= 2. */
    public Builder maxModelLen(int tokens) {
      this.maxModelLen = tokens;
      return this;
    }

    /**
     * Returns the limits.
     *
     * @throws IllegalArgumentException naming the limit, its value and the constraint
     */
    public SchedulerLimits build() {
      if (maxNumSeqs < 1) {
        throw new IllegalArgumentException("maxNumSeqs must be >= 1: maxNumSeqs=" + maxNumSeqs);
      }
      if (maxNumBatchedTokens < maxNumSeqs) {
        throw new IllegalArgumentException(
            "maxNumBatchedTokens must be >= maxNumSeqs so that every running request can decode:"
                + " maxNumBatchedTokens="
                + maxNumBatchedTokens
                + ", maxNumSeqs="
                + maxNumSeqs);
      }
      if (maxModelLen < 2) {
        throw new IllegalArgumentException(
            "maxModelLen must be >= 2, one prompt and one output token: maxModelLen="
                + maxModelLen);
      }
      return new SchedulerLimits(this);
    }
  }
}
