package dev.headway.api.kvcache;

import java.util.List;

/**
 * Size of a paged KV cache.
 *
 * @param blockSize tokens per block, >= 1; groups may have their own
 * @param numBlocks blocks, the null block 0 included, >= 2
 * @param bytesPerBlock memory of a block over all layers, in bytes; 0 when not known
 * @param groups the kinds of layers that draw from these blocks, at least one
 */
public record KvCacheShape(int blockSize, int numBlocks, long bytesPerBlock, List<KvGroup> groups) {

  /** Validates the components. */
  public KvCacheShape {
    if (blockSize < 1) {
      throw new IllegalArgumentException("blockSize must be >= 1: blockSize=" + blockSize);
    }
    if (numBlocks < 2) {
      throw new IllegalArgumentException(
          "numBlocks must be >= 2, the null block and one to use: numBlocks=" + numBlocks);
    }
    if (bytesPerBlock < 0) {
      throw new IllegalArgumentException(
          "bytesPerBlock must be >= 0, 0 if not known: bytesPerBlock=" + bytesPerBlock);
    }
    if ((long) blockSize * numBlocks > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "blockSize * numBlocks must be <= 2147483647: blockSize="
              + blockSize
              + ", numBlocks="
              + numBlocks);
    }
    groups = List.copyOf(groups);
    if (groups.isEmpty()) {
      throw new IllegalArgumentException("groups must not be empty: groups=[]");
    }
  }

  /** The cache of a model whose layers all attend to the whole context. */
  public KvCacheShape(int blockSize, int numBlocks, long bytesPerBlock) {
    this(blockSize, numBlocks, bytesPerBlock, List.of(new KvGroup.FullAttention(blockSize)));
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
}
