package dev.headway.api.executor;

import dev.headway.api.kvcache.KvCacheShape;

/**
 * What an executor can hold. The engine checks its limits against this when it is built.
 *
 * @param kvCache the paged KV cache it has memory for
 * @param maxNumSeqs most requests in a plan, >= 1
 * @param vocabularySize token ids are in [0, vocabularySize), >= 1
 * @param maxStepsInFlight most steps submitted and not yet answered, >= 1
 */
public record ExecutorShape(
    KvCacheShape kvCache, int maxNumSeqs, int vocabularySize, int maxStepsInFlight) {

  /** Validates the components. */
  public ExecutorShape {
    requireAtLeastOne("maxNumSeqs", maxNumSeqs);
    requireAtLeastOne("vocabularySize", vocabularySize);
    requireAtLeastOne("maxStepsInFlight", maxStepsInFlight);
  }

  private static void requireAtLeastOne(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be >= 1: " + name + "=" + value);
    }
  }
}
