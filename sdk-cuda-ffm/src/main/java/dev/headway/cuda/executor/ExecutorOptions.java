package dev.headway.cuda.executor;

import dev.headway.executor.reference.Precision;
import dev.headway.executor.speculation.NgramOptions;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link CudaExecutor} is built with; validated.
 *
 * @param deviceOrdinal the driver's number of the device, from 0
 * @param maxNumSeqs most requests in a step
 * @param maxNumBatchedTokens most tokens in a step, in [maxNumSeqs, 65535]
 * @param maxModelLen longest context, in tokens; the width of the block tables
 * @param blockSize tokens per KV block
 * @param kvBlocks KV blocks, the null block included; 0 = as many as {@code memoryUtilization}
 *     leaves room for
 * @param hostBlocks KV blocks in pinned host memory; 0 = no such tier
 * @param memoryUtilization share of the device's memory to use in all, in (0, 1]
 * @param stepsInFlight 1 or 2
 * @param spinNs longest that a thread spins for another at a time
 * @param graphs whether decode steps are replayed
 * @param draftTokens most drafts of a request in a step; 0 without drafts
 * @param ngrams how drafts are found; null without
 * @param kvCacheType what keys and values are kept as
 * @param adapters that requests may name
 * @param precision whether inputs are rounded where the checkpoint says so
 */
record ExecutorOptions(
    int deviceOrdinal,
    int maxNumSeqs,
    int maxNumBatchedTokens,
    int maxModelLen,
    int blockSize,
    int kvBlocks,
    int hostBlocks,
    double memoryUtilization,
    int stepsInFlight,
    long spinNs,
    CudaGraphs graphs,
    int draftTokens,
    @Nullable NgramOptions ngrams,
    KvCacheType kvCacheType,
    AdapterSlots adapters,
    Precision precision) {

  private static final int MAX_GRID = 65_535;

  ExecutorOptions {
    requireIn("maxNumSeqs", maxNumSeqs, 1, MAX_GRID);
    requireIn("maxNumBatchedTokens", maxNumBatchedTokens, 1, MAX_GRID);
    requireIn("maxModelLen", maxModelLen, 1, Integer.MAX_VALUE);
    requireIn("blockSize", blockSize, 1, 1 << 16);
    requireIn("stepsInFlight", stepsInFlight, 1, 2);
    if (spinNs < 0) {
      throw new IllegalArgumentException("spinNs must be >= 0: spinNs=" + spinNs);
    }
    requireIn("kvBlocks", kvBlocks, 0, Integer.MAX_VALUE);
    requireIn("hostBlocks", hostBlocks, 0, Integer.MAX_VALUE);
    if (maxNumBatchedTokens < maxNumSeqs) {
      throw new IllegalArgumentException(
          "maxNumBatchedTokens must be >= maxNumSeqs so that every request can decode:"
              + " maxNumBatchedTokens="
              + maxNumBatchedTokens
              + ", maxNumSeqs="
              + maxNumSeqs);
    }
    if (kvBlocks == 1) {
      throw new IllegalArgumentException(
          "kvBlocks must be >= 2, the null block and one to use: kvBlocks=1");
    }
    if ((long) kvBlocks * blockSize > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "kvBlocks * blockSize must be < 2^31, since slots are numbered: kvBlocks="
              + kvBlocks
              + ", blockSize="
              + blockSize);
    }
    requireIn("draftTokens", draftTokens, ngrams == null ? 0 : 1, ngrams == null ? 0 : MAX_GRID);
    if (ngrams != null && stepsInFlight > 1) {
      throw new IllegalArgumentException(
          "stepsInFlight must be 1 with ngrams, since drafts are found in the outputs of the step"
              + " before: stepsInFlight="
              + stepsInFlight);
    }
    if (!(memoryUtilization > 0 && memoryUtilization <= 1)) {
      throw new IllegalArgumentException(
          "memoryUtilization must be in (0, 1]: memoryUtilization=" + memoryUtilization);
    }
  }

  /** Most tokens that a step samples: one for each request and one behind each of its drafts. */
  int maxSamples() {
    return (int) Math.min((long) maxNumSeqs * (1 + draftTokens), maxNumBatchedTokens);
  }

  /** Blocks of the longest context. */
  int maxBlocks() {
    return (maxModelLen - 1) / blockSize + 1;
  }

  private static void requireIn(String name, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be in [" + min + ", " + max + "]: " + name + "=" + value);
    }
  }
}
