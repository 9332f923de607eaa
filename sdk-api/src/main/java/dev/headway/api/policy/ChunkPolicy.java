package dev.headway.api.policy;

import dev.headway.api.request.RequestView;

/** How a step's tokens are split between prompts that are computed side by side. */
public interface ChunkPolicy {

  /** A step begins; {@link StepView#tokensLeft()} is its whole budget. */
  default void onStep(StepView step) {}

  /**
   * Returns the most tokens that {@code request} gets in this step, >= 1.
   *
   * @param wantedTokens tokens it could use and would get by default, >= 2
   */
  int largestChunk(RequestView request, int wantedTokens, StepView step);
}
