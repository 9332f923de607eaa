package dev.headway.executor.reference;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.ModelConfig;

/**
 * The KV cache of an executor in host memory, whose elements are floats.
 *
 * @param blockSize tokens per block, >= 1
 * @param numBlocks blocks, the null block included; 0 for as many as fit {@code kvCacheBytes}
 * @param kvCacheBytes memory of the blocks; 0 if {@code numBlocks} is given
 * @param hostBlocks blocks of the host tier beside them, >= 0
 */
public record HostKvOptions(int blockSize, int numBlocks, long kvCacheBytes, int hostBlocks) {

  /** Validates the components. */
  public HostKvOptions {
    if ((numBlocks == 0) == (kvCacheBytes == 0)) {
      throw new IllegalArgumentException(
          "one of numBlocks and kvCacheBytes must be given: numBlocks="
              + numBlocks
              + ", kvCacheBytes="
              + kvCacheBytes);
    }
    if (blockSize < 1) {
      throw new IllegalArgumentException("blockSize must be >= 1: blockSize=" + blockSize);
    }
  }

  /**
   * What an executor of one step at a time can hold. A model with windows has groups, whose blocks
   * hold as many layers each as {@link KvLayers} says.
   *
   * @throws IllegalArgumentException if that is no block to use, or a host tier for a model with
   *     windows, which the engine has none for
   */
  public ExecutorShape shape(ModelConfig config, int maxNumSeqs) {
    final KvLayers layers = KvLayers.of(config);
    layers.requireNoHostTier(hostBlocks);
    final long bytesPerBlock =
        Float.BYTES * layers.elementsPerToken(config.attention()) * blockSize;
    final long blocks = numBlocks != 0 ? numBlocks : kvCacheBytes / bytesPerBlock;
    if (blocks < 2 || blocks > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "the KV cache must have at least 2 blocks, the null block and one to use: numBlocks="
              + numBlocks
              + ", kvCacheBytes="
              + kvCacheBytes
              + ", bytesPerBlock="
              + bytesPerBlock);
    }
    final KvCacheShape kvCache =
        KvCacheShape.builder()
            .blockSize(blockSize)
            .blocks((int) blocks)
            .bytesPerBlock(bytesPerBlock)
            .groups(layers.kvGroups(blockSize))
            .build();
    return ExecutorShape.builder()
        .kvCache(kvCache)
        .maxNumSeqs(maxNumSeqs)
        .vocabularySize(config.vocabularySize())
        .maxModelLen(config.maxPositions())
        .hostBlocks(hostBlocks)
        .build();
  }
}
