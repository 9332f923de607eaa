package dev.headway.cuda.executor;

import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.executor.model.KvLayers;
import java.util.List;

/** How many KV blocks there are room for. */
final class KvSizing {
  private KvSizing() {}

  /**
   * The cache that the options ask for, or the largest that keeps all memory in use below {@code
   * memoryUtilization} of the device's.
   *
   * @param layers which share blocks
   * @param freeBytes what is free with all in place but the cache
   * @throws IllegalStateException if that does not hold one request of {@code maxModelLen} tokens
   */
  static KvCacheShape size(
      ExecutorOptions options,
      KvLayers layers,
      long bytesPerBlock,
      long freeBytes,
      long totalBytes) {
    final List<KvGroup> groups = layers.kvGroups(options.blockSize());
    if (options.kvBlocks() > 0) {
      return KvCacheShape.builder()
          .blockSize(options.blockSize())
          .blocks(options.kvBlocks())
          .bytesPerBlock(bytesPerBlock)
          .groups(groups)
          .build();
    }
    final long mayUse = (long) (options.memoryUtilization() * totalBytes);
    final long available = mayUse - (totalBytes - freeBytes);
    final long blocks = Math.floorDiv(available, bytesPerBlock);
    long needed = 1;
    for (KvGroup group : groups) {
      final int inFlight = options.maxNumBatchedTokens() * options.stepsInFlight();
      needed += group.blocksToHold(options.maxModelLen(), inFlight, options.maxModelLen());
    }
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
        .groups(groups)
        .build();
  }
}
