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
    apply(logits, mask, 0);
  }

  /** As {@link #apply(float[], int[])}, with the mask that begins at {@code offset}. */
  public static void apply(float[] logits, int[] masks, int offset) {
    if (!allowsAny(masks, offset, logits.length)) {
      throw nothingAllowed(logits.length);
    }
    for (int token = 0; token < logits.length; token++) {
      if ((masks[offset + (token >> 5)] >>> token & 1) == 0) {
        logits[token] = Float.NEGATIVE_INFINITY;
      }
    }
  }

  /** Whether the mask from {@code offset} on has a bit for a token of the vocabulary. */
  public static boolean allowsAny(int[] masks, int offset, int vocabularySize) {
    final int whole = vocabularySize >> 5;
    for (int word = 0; word < whole; word++) {
      if (masks[offset + word] != 0) {
        return true;
      }
    }
    final int rest = vocabularySize & 31;
    return rest > 0 && (masks[offset + whole] & (1 << rest) - 1) != 0;
  }

  /** What a request fails with whose grammar allows no token. */
  public static IllegalArgumentException nothingAllowed(int vocabularySize) {
    return new IllegalArgumentException(
        "a grammar must allow a token: vocab_size=" + vocabularySize);
  }
}
