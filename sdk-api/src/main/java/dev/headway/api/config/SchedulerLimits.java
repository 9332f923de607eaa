package dev.headway.api.config;

/**
 * The limits of a step.
 *
 * @param maxNumSeqs most requests running at once, >= 1
 * @param maxNumBatchedTokens most tokens scheduled in a step, >= maxNumSeqs
 * @param maxModelLen longest prompt and output together, in tokens, >= 2
 */
public record SchedulerLimits(int maxNumSeqs, int maxNumBatchedTokens, int maxModelLen) {

  /** Validates the components. */
  public SchedulerLimits {
    if (maxNumSeqs < 1) {
      throw new IllegalArgumentException("maxNumSeqs must be >= 1: maxNumSeqs=" + maxNumSeqs);
    }
    if (maxNumBatchedTokens < maxNumSeqs) {
      throw new IllegalArgumentException(
          "maxNumBatchedTokens must be >= maxNumSeqs so that every running request can decode:"
              + " maxNumBatchedTokens="
              + maxNumBatchedTokens
              + ", maxNumSeqs="
              + maxNumSeqs);
    }
    if (maxModelLen < 2) {
      throw new IllegalArgumentException(
          "maxModelLen must be >= 2, one prompt and one output token: maxModelLen=" + maxModelLen);
    }
  }
}
