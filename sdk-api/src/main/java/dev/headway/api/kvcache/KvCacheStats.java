package dev.headway.api.kvcache;

import java.util.Arrays;
import java.util.StringJoiner;

/** How full a KV cache is; an immutable snapshot, each figure exact at some recent moment. */
public final class KvCacheStats {

  private static final String[] NAMES = {"usableBlocks", "freeBlocks", "quarantinedBlocks"};

  private static final int USABLE_BLOCKS = 0;
  private static final int FREE_BLOCKS = 1;
  private static final int QUARANTINED_BLOCKS = 2;

  private final long[] counts;
  private final KvResidency residency;

  private KvCacheStats(Builder builder) {
    counts = builder.counts.clone();
    residency = builder.residency;
  }

  /** Starts with every figure at 0. For implementations of {@link KvCacheManager}. */
  public static Builder builder() {
    return new Builder();
  }

  /** Blocks that requests can hold. */
  public long usableBlocks() {
    return counts[USABLE_BLOCKS];
  }

  /** Blocks that can be taken, cached ones included. */
  public long freeBlocks() {
    return counts[FREE_BLOCKS];
  }

  /** Released blocks that a step may still write. */
  public long quarantinedBlocks() {
    return counts[QUARANTINED_BLOCKS];
  }

  /** Blocks held by requests, a shared one counted once. */
  public long heldBlocks() {
    return usableBlocks() - freeBlocks() - quarantinedBlocks();
  }

  /** How long sampled blocks stayed; {@link KvResidency#NONE} unless that is measured. */
  public KvResidency residency() {
    return residency;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KvCacheStats that
        && Arrays.equals(counts, that.counts)
        && residency.equals(that.residency);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(counts) + residency.hashCode();
  }

  @Override
  public String toString() {
    final StringJoiner text = new StringJoiner(", ", "KvCacheStats[", "]");
    for (int i = 0; i < NAMES.length; i++) {
      text.add(NAMES[i] + "=" + counts[i]);
    }
    if (!residency.equals(KvResidency.NONE)) {
      text.add("residency=" + residency);
    }
    return text.toString();
  }

  /** Figures for a {@link KvCacheStats}; not thread-safe. */
  public static final class Builder {

    private final long[] counts = new long[NAMES.length];
    private KvResidency residency = KvResidency.NONE;

    private Builder() {}

    /** See {@link KvCacheStats#usableBlocks}. */
    public Builder usableBlocks(long value) {
      counts[USABLE_BLOCKS] = value;
      return this;
    }

    /** See {@link KvCacheStats#freeBlocks}. */
    public Builder freeBlocks(long value) {
      counts[FREE_BLOCKS] = value;
      return this;
    }

    /** See {@link KvCacheStats#quarantinedBlocks}. */
    public Builder quarantinedBlocks(long value) {
      counts[QUARANTINED_BLOCKS] = value;
      return this;
    }

    /** See {@link KvCacheStats#residency}. */
    public Builder residency(KvResidency measured) {
      residency = measured;
      return this;
    }

    /** Makes the snapshot. */
    public KvCacheStats build() {
      return new KvCacheStats(this);
    }
  }
}
