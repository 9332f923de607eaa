package dev.headway.api.kvcache;

import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * Size of a paged KV cache. Immutable; any thread.
 *
 * <pre>{@code
 * KvCacheShape.builder().blockSize(16).blocks(4_096).build()
 * }</pre>
 */
public final class KvCacheShape {

  /** The block that no sequence holds: in a block table, tokens that are no longer attended to. */
  public static final int NULL_BLOCK = 0;

  private static final long NOT_KNOWN = -1;

  private final int blockSize;
  private final int numBlocks;
  private final long bytesPerBlock;
  private final List<KvGroup> groups;

  private KvCacheShape(Builder builder) {
    blockSize = builder.blockSize;
    numBlocks = builder.blocks;
    bytesPerBlock = builder.bytesPerBlock;
    groups =
        builder.groups.isEmpty() ? List.of(new KvGroup.FullAttention(blockSize)) : builder.groups;
  }

  /** Starts a shape; {@code blockSize} and {@code blocks} must be set. */
  public static Builder builder() {
    return new Builder();
  }

  /** Tokens per block, >= 1; groups may have their own. */
  public int blockSize() {
    return blockSize;
  }

  /** Blocks, the null block 0 included, >= 2. */
  public int numBlocks() {
    return numBlocks;
  }

  /** Memory of a block over all layers, in bytes, if it is known. */
  public OptionalLong bytesPerBlock() {
    return bytesPerBlock == NOT_KNOWN ? OptionalLong.empty() : OptionalLong.of(bytesPerBlock);
  }

  /** The kinds of layers that draw from these blocks, at least one. */
  public List<KvGroup> groups() {
    return groups;
  }

  /** Blocks that requests can hold: all but the null block. */
  public int usableBlocks() {
    return numBlocks - 1;
  }

  /** Blocks of {@link #blockSize()} tokens that {@code tokens} tokens take, rounded up. */
  public int blocksFor(int tokens) {
    return (int) (((long) tokens + blockSize - 1) / blockSize);
  }

  /**
   * Blocks that a sequence of {@code tokens} tokens holds over all groups when none are shared.
   *
   * @param maxInFlightTokens most tokens that can be scheduled and not yet processed
   * @param maxModelLen longest sequence, in tokens
   */
  public int blocksToHold(int tokens, int maxInFlightTokens, int maxModelLen) {
    long blocks = 0;
    for (int group = 0; group < groups.size(); group++) {
      blocks += groups.get(group).blocksToHold(tokens, maxInFlightTokens, maxModelLen);
    }
    return (int) Math.min(blocks, Integer.MAX_VALUE);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KvCacheShape that
        && blockSize == that.blockSize
        && numBlocks == that.numBlocks
        && bytesPerBlock == that.bytesPerBlock
        && groups.equals(that.groups);
  }

  @Override
  public int hashCode() {
    return Objects.hash(blockSize, numBlocks, bytesPerBlock, groups);
  }

  @Override
  public String toString() {
    return "KvCacheShape[blockSize="
        + blockSize
        + ", numBlocks="
        + numBlocks
        + (bytesPerBlock == NOT_KNOWN ? "" : ", bytesPerBlock=" + bytesPerBlock)
        + ", groups="
        + groups
        + "]";
  }

  /** Collects the figures of a shape. Not thread-safe. */
  public static final class Builder {

    private int blockSize;
    private int blocks;
    private long bytesPerBlock = NOT_KNOWN;
    private List<KvGroup> groups = List.of();

    private Builder() {}

    /** Tokens per block, >= 1; groups may have their own. */
    public Builder blockSize(int tokens) {
      this.blockSize = tokens;
      return this;
    }

    /** Blocks, the null block 0 included, >= 2. */
    public Builder blocks(int count) {
      this.blocks = count;
      return this;
    }

    /** Memory of a block over all layers, in bytes, >= 1; not known unless set. */
    public Builder bytesPerBlock(long bytes) {
      if (bytes < 1) {
        throw new IllegalArgumentException("bytesPerBlock must be >= 1: bytesPerBlock=" + bytes);
      }
      this.bytesPerBlock = bytes;
      return this;
    }

    /**
     * The kinds of layers that draw from these blocks, at least one. Unless set, one whose layers
     * all attend to the whole context.
     */
    public Builder groups(List<? extends KvGroup> groups) {
      if (groups.isEmpty()) {
        throw new IllegalArgumentException("groups must not be empty: groups=[]");
      }
      this.groups = List.copyOf(groups);
      return this;
    }

    /**
     * Returns the shape.
     *
     * @throws IllegalArgumentException if a figure is not possible, naming it
     */
    public KvCacheShape build() {
      if (blockSize < 1) {
        throw new IllegalArgumentException("blockSize must be >= 1: blockSize=" + blockSize);
      }
      if (blocks < 2) {
        throw new IllegalArgumentException(
            "blocks must be >= 2, the null block and one to use: blocks=" + blocks);
      }
      if ((long) blockSize * blocks > Integer.MAX_VALUE) {
        throw new IllegalArgumentException(
            "blockSize * blocks must be <= 2147483647: blockSize="
                + blockSize
                + ", blocks="
                + blocks);
      }
      return new KvCacheShape(this);
    }
  }
}
