package dev.headway.api.kvcache;

/**
 * Size of a paged KV cache.
 *
 * @param blockSize tokens per block, >= 1
 * @param numBlocks blocks, the null block 0 included, >= 2
 * @param bytesPerBlock memory of a block over all layers, in bytes; 0 when not known
 */
public record KvCacheShape(int blockSize, int numBlocks, long bytesPerBlock) {

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
  }

  /** Blocks that requests can hold: all but the null block. */
  public int usableBlocks() {
    return numBlocks - 1;
  }

  /** Blocks that {@code tokens} tokens take, rounded up. */
  public int blocksFor(int tokens) {
    return (int) (((long) tokens + blockSize - 1) / blockSize);
  }
}
