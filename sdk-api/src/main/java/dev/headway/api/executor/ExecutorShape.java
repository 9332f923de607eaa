package dev.headway.api.executor;

import dev.headway.api.kvcache.KvCacheShape;

/**
 * What an executor can hold. The engine checks its limits against this when it is built.
 *
 * @param kvCache the paged KV cache it has memory for
 * @param maxNumSeqs most requests in a plan, >= 1
 * @param vocabularySize token ids are in [0, vocabularySize), >= 1
 * @param maxStepsInFlight most steps submitted and not yet answered, >= 1
 * @param hostBlocks KV blocks in host memory that it saves to and loads from, >= 0; 0 if it does
 *     neither
 */
public record ExecutorShape(
    KvCacheShape kvCache,
    int maxNumSeqs,
    int vocabularySize,
    int maxStepsInFlight,
    int hostBlocks) {

  /** Validates the components. */
  public ExecutorShape {
    requireAtLeastOne("maxNumSeqs", maxNumSeqs);
    requireAtLeastOne("vocabularySize", vocabularySize);
    requireAtLeastOne("maxStepsInFlight", maxStepsInFlight);
    if (hostBlocks < 0) {
      throw new IllegalArgumentException(
          "hostBlocks must be >= 0, 0 for no tier in host memory: hostBlocks=" + hostBlocks);
    }
  }

  /** What an executor without a tier in host memory can hold. */
  public ExecutorShape(
      KvCacheShape kvCache, int maxNumSeqs, int vocabularySize, int maxStepsInFlight) {
    this(kvCache, maxNumSeqs, vocabularySize, maxStepsInFlight, 0);
  }

  private static void requireAtLeastOne(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be >= 1: " + name + "=" + value);
    }
  }
}
