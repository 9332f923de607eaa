package dev.headway.server;

import org.jspecify.annotations.Nullable;

/**
 * What an executor is given room for.
 *
 * @param blockSize tokens per KV block
 * @param numBlocks KV blocks, the null block included; null for as many as suit the executor
 * @param numHostBlocks KV blocks of the host tier, 0 for none
 * @param maxNumSeqs most requests in a step
 * @param maxNumBatchedTokens most tokens in a step
 * @param maxModelLen longest context
 * @param gpuMemoryUtilization share of a device's memory in use once the KV cache is made
 */
public record ExecutorSizes(
    int blockSize,
    @Nullable Integer numBlocks,
    int numHostBlocks,
    int maxNumSeqs,
    int maxNumBatchedTokens,
    int maxModelLen,
    double gpuMemoryUtilization) {

  /** KV blocks of an executor in host memory, unless set. */
  public static final int USUAL_BLOCKS = 2_048;
}
