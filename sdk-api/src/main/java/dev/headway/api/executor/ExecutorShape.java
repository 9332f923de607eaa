package dev.headway.api.executor;

import dev.headway.api.kvcache.KvCacheShape;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * What an executor can hold. The engine checks its limits against this when it is built, and takes
 * from it those that are not set. Immutable; any thread.
 *
 * <pre>{@code
 * ExecutorShape.builder().kvCache(kvCache).maxNumSeqs(64).vocabularySize(128_256).build()
 * }</pre>
 */
public final class ExecutorShape {

  private final KvCacheShape kvCache;
  private final int maxNumSeqs;
  private final int vocabularySize;
  private final OptionalInt maxNumBatchedTokens;
  private final OptionalInt maxModelLen;
  private final int maxStepsInFlight;
  private final int hostBlocks;

  private ExecutorShape(Builder builder) {
    kvCache = Objects.requireNonNull(builder.kvCache, "kvCache");
    maxNumSeqs = builder.maxNumSeqs;
    vocabularySize = builder.vocabularySize;
    maxNumBatchedTokens = builder.maxNumBatchedTokens;
    maxModelLen = builder.maxModelLen;
    maxStepsInFlight = builder.maxStepsInFlight;
    hostBlocks = builder.hostBlocks;
  }

  /** Starts a shape; {@code kvCache}, {@code maxNumSeqs} and {@code vocabularySize} must be set. */
  public static Builder builder() {
    return new Builder();
  }

  /** The paged KV cache it has memory for. */
  public KvCacheShape kvCache() {
    return kvCache;
  }

  /** Most requests in a plan, >= 1. */
  public int maxNumSeqs() {
    return maxNumSeqs;
  }

  /** Token ids are in [0, vocabularySize), >= 1. */
  public int vocabularySize() {
    return vocabularySize;
  }

  /** Most tokens in a plan; empty if it takes any number. */
  public OptionalInt maxNumBatchedTokens() {
    return maxNumBatchedTokens;
  }

  /** Longest context of its model, in tokens; empty if only the KV cache bounds it. */
  public OptionalInt maxModelLen() {
    return maxModelLen;
  }

  /** Most steps submitted and not yet answered, >= 1. */
  public int maxStepsInFlight() {
    return maxStepsInFlight;
  }

  /** KV blocks in host memory that it saves to and loads from; 0 if it does neither. */
  public int hostBlocks() {
    return hostBlocks;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ExecutorShape that
        && kvCache.equals(that.kvCache)
        && maxNumSeqs == that.maxNumSeqs
        && vocabularySize == that.vocabularySize
        && maxNumBatchedTokens.equals(that.maxNumBatchedTokens)
        && maxModelLen.equals(that.maxModelLen)
        && maxStepsInFlight == that.maxStepsInFlight
        && hostBlocks == that.hostBlocks;
  }

  @Override
  public int hashCode() {
    return Objects.hash(
        kvCache,
        maxNumSeqs,
        vocabularySize,
        maxNumBatchedTokens,
        maxModelLen,
        maxStepsInFlight,
        hostBlocks);
  }

  @Override
  public String toString() {
    return "ExecutorShape[kvCache="
        + kvCache
        + ", maxNumSeqs="
        + maxNumSeqs
        + ", vocabularySize="
        + vocabularySize
        + (maxNumBatchedTokens.isPresent()
            ? ", maxNumBatchedTokens=" + maxNumBatchedTokens.getAsInt()
            : "")
        + (maxModelLen.isPresent() ? ", maxModelLen=" + maxModelLen.getAsInt() : "")
        + ", maxStepsInFlight="
        + maxStepsInFlight
        + ", hostBlocks="
        + hostBlocks
        + "]";
  }

  /** Collects the figures of a shape. Not thread-safe. */
  public static final class Builder {

    private @Nullable KvCacheShape kvCache;
    private int maxNumSeqs;
    private int vocabularySize;
    private OptionalInt maxNumBatchedTokens = OptionalInt.empty();
    private OptionalInt maxModelLen = OptionalInt.empty();
    private int maxStepsInFlight = 1;
    private int hostBlocks;

    private Builder() {}

    /** The paged KV cache it has memory for. */
    public Builder kvCache(KvCacheShape kvCache) {
      this.kvCache = kvCache;
      return this;
    }

    /** Most requests in a plan, >= 1. */
    public Builder maxNumSeqs(int seqs) {
      this.maxNumSeqs = seqs;
      return this;
    }

    /** Token ids are in [0, vocabularySize), >= 1. */
    public Builder vocabularySize(int tokens) {
      this.vocabularySize = tokens;
      return this;
    }

    /** Most tokens in a plan, >= maxNumSeqs; any number unless set. */
    public Builder maxNumBatchedTokens(int tokens) {
      this.maxNumBatchedTokens = OptionalInt.of(tokens);
      return this;
    }

    /** Longest context of its model, in tokens, >= 2; bounded by the KV cache only unless set. */
    public Builder maxModelLen(int tokens) {
      if (tokens < 2) {
        throw new IllegalArgumentException(
            "maxModelLen must be >= 2, one prompt and one output token: maxModelLen=" + tokens);
      }
      this.maxModelLen = OptionalInt.of(tokens);
      return this;
    }

    /** Most steps submitted and not yet answered, >= 1; 1 unless set. */
    public Builder maxStepsInFlight(int steps) {
      this.maxStepsInFlight = steps;
      return this;
    }

    /** KV blocks in host memory that it saves to and loads from, >= 0; 0 (neither) unless set. */
    public Builder hostBlocks(int blocks) {
      this.hostBlocks = blocks;
      return this;
    }

    /**
     * Returns the shape.
     *
     * @throws IllegalArgumentException if a figure is not possible, naming it
     */
    public ExecutorShape build() {
      requireAtLeastOne("maxNumSeqs", maxNumSeqs);
      requireAtLeastOne("vocabularySize", vocabularySize);
      requireAtLeastOne("maxStepsInFlight", maxStepsInFlight);
      if (maxNumBatchedTokens.orElse(maxNumSeqs) < maxNumSeqs) {
        throw new IllegalArgumentException(
            "maxNumBatchedTokens must be >= maxNumSeqs so that every running request can decode:"
                + " maxNumBatchedTokens="
                + maxNumBatchedTokens.getAsInt()
                + ", maxNumSeqs="
                + maxNumSeqs);
      }
      if (hostBlocks < 0) {
        throw new IllegalArgumentException(
            "hostBlocks must be >= 0, 0 for no tier in host memory: hostBlocks=" + hostBlocks);
      }
      return new ExecutorShape(this);
    }

    private static void requireAtLeastOne(String name, int value) {
      if (value < 1) {
        throw new IllegalArgumentException(name + " must be >= 1: " + name + "=" + value);
      }
    }
  }
}
