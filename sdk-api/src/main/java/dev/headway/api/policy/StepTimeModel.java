package dev.headway.api.policy;

/** Predicts how long a step takes, and learns from those that were run. */
public interface StepTimeModel {

  /** Stands for a duration that cannot be predicted, or not yet. */
  long UNKNOWN = -1;

  /**
   * Predicts the duration of a step, in nanoseconds, or answers {@link #UNKNOWN}.
   *
   * @param prefillTokens tokens of prompts to compute
   * @param decodeSeqs requests that decode
   * @param contextTokens tokens that the decoding requests attend to, over all of them
   */
  long estimateNs(int prefillTokens, int decodeSeqs, long contextTokens);

  /** A step of that shape took {@code durationNs}, from its submission to its output. */
  default void observe(int prefillTokens, int decodeSeqs, long contextTokens, long durationNs) {}
}
