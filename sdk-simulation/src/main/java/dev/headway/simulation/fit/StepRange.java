package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;

/**
 * The largest steps that a model was fitted on. Beyond them, by a tenth or more, it extrapolates.
 *
 * @param requests in a step
 * @param prefillTokens in a step
 * @param prefillPairs twice the pairs of tokens of prefill attention
 * @param decodeContextTokens that the decodes of a step read
 */
public record StepRange(
    long requests, long prefillTokens, long prefillPairs, long decodeContextTokens) {

  /** No step at all. */
  static final StepRange NONE = new StepRange(0, 0, 0, 0);

  private static final double MARGIN = 1.1;

  StepRange with(StepFeatures step) {
    return new StepRange(
        Math.max(requests, step.requests()),
        Math.max(prefillTokens, step.prefillTokens()),
        Math.max(prefillPairs, step.twicePrefillPairs()),
        Math.max(decodeContextTokens, step.decodeContextTokens()));
  }

  /** Whether {@code step} is within it. */
  public boolean contains(StepFeatures step) {
    return step.requests() <= MARGIN * requests
        && step.prefillTokens() <= MARGIN * prefillTokens
        && step.twicePrefillPairs() <= MARGIN * prefillPairs
        && step.decodeContextTokens() <= MARGIN * decodeContextTokens;
  }
}
