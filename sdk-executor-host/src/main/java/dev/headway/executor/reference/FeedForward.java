package dev.headway.executor.reference;

/** What a layer does with each token by itself, after attention. One thread. */
interface FeedForward {

  /**
   * Sets rows [0, rows) of {@code added} to what is to be added to the hidden states.
   *
   * @param normed the hidden states, normalised
   */
  void apply(float[] normed, int rows, float[] added);

  /** Routed experts that computed for any row of the last call. */
  default int activated() {
    return 0;
  }
}
