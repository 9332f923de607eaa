package dev.headway.cuda.executor;

import dev.headway.api.kvcache.KvCacheShape;

/** How many KV blocks there are room for. */
final class KvSizing {
  private KvSizing() {}

  /**
   * The cache that the options ask for, or the largest that keeps all memory in use below {@code
   * memoryUtilization} of the device's.
   *
   * @param freeBytes what is free with all in place but the cache
   * @throws IllegalStateException if that does not hold one request of {@code maxModelLen} tokens
   */
  static KvCacheShape size(
      ExecutorOptions options, long bytesPerBlock, long freeBytes, long totalBytes) {
    if (options.kvBlocks() > 0) {
      return KvCacheShape.builder()
          .blockSize(options.blockSize())
          .blocks(options.kvBlocks())
          .bytesPerBlock(bytesPerBlock)
          .build();
    }
    final long mayUse = (long) (options.memoryUtilization() * totalBytes);
    final long available = mayUse - (totalBytes - freeBytes);
    final long blocks = Math.floorDiv(available, bytesPerBlock);
    final long needed = options.maxBlocks() + 1L;
    if (blocks < needed) {
      throw new IllegalStateException(
          "the KV cache must hold a request of maxModelLen tokens: neededBytes="
              + needed * bytesPerBlock
              + ", availableBytes="
              + Math.max(0, available)
              + ", freeBytes="
              + freeBytes
              + ", totalBytes="
              + totalBytes
              + ", memoryUtilization="
              + options.memoryUtilization()
              + ", maxModelLen="
              + options.maxModelLen()
              + "; lower maxModelLen or maxNumBatchedTokens, or raise memoryUtilization");
    }
    final long mostSlots = Integer.MAX_VALUE / options.blockSize();
    return KvCacheShape.builder()
        .blockSize(options.blockSize())
        .blocks((int) Math.min(blocks, mostSlots))
        .bytesPerBlock(bytesPerBlock)
        .build();
  }
}
