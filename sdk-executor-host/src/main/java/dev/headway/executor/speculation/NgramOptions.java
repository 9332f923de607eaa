package dev.headway.executor.speculation;

/**
 * How far the end of a text must repeat for its continuation to be proposed: vLLM's {@code
 * prompt_lookup_min} and {@code prompt_lookup_max}. The engine says how many tokens are proposed.
 *
 * @param minTokens shortest end that is looked up, >= 1
 * @param maxTokens longest, >= {@code minTokens}
 */
public record NgramOptions(int minTokens, int maxTokens) {

  /** vLLM's: ends of five tokens. */
  public static final NgramOptions DEFAULT = new NgramOptions(5, 5);

  /** Validates the components. */
  public NgramOptions {
    if (minTokens < 1 || maxTokens < minTokens) {
      throw new IllegalArgumentException(
          "n-grams must have 1 <= minTokens <= maxTokens: minTokens="
              + minTokens
              + ", maxTokens="
              + maxTokens);
    }
  }
}
