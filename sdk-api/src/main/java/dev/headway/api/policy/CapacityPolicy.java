package dev.headway.api.policy;

import dev.headway.api.request.RequestView;

/** How many KV blocks an admission leaves to requests that are running already. */
public interface CapacityPolicy {

  /**
   * Returns the blocks that must stay free after the admission of {@code candidate}, beside those
   * it takes for its first tokens, >= 0. Nobody is running: the answer is ignored, so that the
   * queue always moves.
   *
   * @param cachedTokens tokens of the candidate found in the prefix cache
   * @param newTokens tokens that its first step would compute
   */
  int blocksToKeepFree(RequestView candidate, int cachedTokens, int newTokens, StepView step);

  /** A running request was preempted because blocks ran out: it was too optimistic. */
  default void onPreempted(RequestView victim, StepView step) {}

  /** A step begins. */
  default void onStep(StepView step) {}
}
