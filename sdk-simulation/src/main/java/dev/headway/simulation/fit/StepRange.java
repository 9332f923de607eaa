package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;

/**
 * The smallest and the largest steps that a model was fitted on. Beyond them, by a tenth or more,
 * it extrapolates.
 *
 * @param fewestRequests in a step
 * @param requests in a step, at most
 * @param prefillTokens in a step, at most
 * @param prefillPairs twice the pairs of tokens of prefill attention, at most
 * @param decodeContextTokens that the decodes of a step read, at most
 * @param longestDecodeContext of a decode, in tokens; 0 if it is not known
 * @param transferredBlocks saved and loaded in a step, at most
 */
public record StepRange(
    long fewestRequests,
    long requests,
    long prefillTokens,
    long prefillPairs,
    long decodeContextTokens,
    long longestDecodeContext,
    long transferredBlocks) {

  /** No step at all. */
  static final StepRange NONE = new StepRange(Long.MAX_VALUE, 0, 0, 0, 0, 0, 0);

  private static final double MARGIN = 1.1;

  StepRange with(StepFeatures step) {
    return new StepRange(
        Math.min(fewestRequests, step.requests()),
        Math.max(requests, step.requests()),
        Math.max(prefillTokens, step.prefillTokens()),
        Math.max(prefillPairs, step.twicePrefillPairs()),
        Math.max(decodeContextTokens, step.decodeContextTokens()),
        Math.max(longestDecodeContext, step.longestDecodeContext()),
        Math.max(transferredBlocks, step.transferredBlocks()));
  }

  /** Whether {@code step} is within it. */
  public boolean contains(StepFeatures step) {
    return beyond(step) <= MARGIN;
  }

  /**
   * How far outside of it a step is, in doublings of the figure that is farthest outside: 0 within
   * it, 1 for a step with twice as many requests, or half as many as the fewest.
   */
  public double octaves(StepFeatures step) {
    final double beyond = beyond(step);
    return beyond <= MARGIN ? 0 : Math.log(beyond) / Math.log(2);
  }

  private double beyond(StepFeatures step) {
    double most = (double) fewestRequests / Math.max(1, step.requests());
    most = Math.max(most, ratio(step.requests(), requests));
    most = Math.max(most, ratio(step.prefillTokens(), prefillTokens));
    most = Math.max(most, ratio(step.twicePrefillPairs(), prefillPairs));
    most = Math.max(most, ratio(step.decodeContextTokens(), decodeContextTokens));
    most = Math.max(most, ratio(step.transferredBlocks(), transferredBlocks));
    return longestDecodeContext == 0
        ? most
        : Math.max(most, ratio(step.longestDecodeContext(), longestDecodeContext));
  }

  /** What was never seen at all counts from 1. */
  private static double ratio(long value, long largest) {
    return (double) value / Math.max(1, largest);
  }
}
