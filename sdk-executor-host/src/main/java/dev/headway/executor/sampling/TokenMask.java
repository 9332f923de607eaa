package dev.headway.executor.sampling;

/** Tokens that may be sampled, as {@code StepPlan.constraints} says it: a bit per token. */
public final class TokenMask {

  private TokenMask() {}

  /**
   * Drops the tokens whose bit is not set: their logits become negative infinity. Allocates
   * nothing.
   *
   * @param logits one per token of the vocabulary
   * @param mask bit {@code t % 32} of word {@code t / 32} says whether token {@code t} is allowed
   * @throws IllegalArgumentException if no token is allowed
   */
  public static void apply(float[] logits, int[] mask) {
    boolean any = false;
    for (int token = 0; token < logits.length; token++) {
      if ((mask[token >> 5] >>> token & 1) == 0) {
        logits[token] = Float.NEGATIVE_INFINITY;
      } else {
        any = true;
      }
    }
    if (!any) {
      throw new IllegalArgumentException(
          "a grammar must allow a token: vocab_size=" + logits.length);
    }
  }
}
