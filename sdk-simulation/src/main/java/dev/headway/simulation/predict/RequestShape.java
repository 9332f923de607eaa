package dev.headway.simulation.predict;

/**
 * Requests that are all alike.
 *
 * @param inputTokens of each prompt, >= 1
 * @param outputTokens of each answer, >= 1
 * @param concurrency requests that are alive at once, >= 1
 */
public record RequestShape(int inputTokens, int outputTokens, int concurrency) {

  /** Checks the components. */
  public RequestShape {
    if (inputTokens < 1 || outputTokens < 1 || concurrency < 1) {
      throw new IllegalArgumentException(
          "input-tokens, output-tokens and concurrency must be >= 1: input-tokens="
              + inputTokens
              + ", output-tokens="
              + outputTokens
              + ", concurrency="
              + concurrency);
    }
  }
}
