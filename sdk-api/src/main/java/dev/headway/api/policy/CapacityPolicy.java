package dev.headway.api.policy;

import dev.headway.api.request.RequestView;

/** How many free KV blocks an admission leaves for running requests. */
public interface CapacityPolicy {

  /**
   * Returns the blocks that must stay free after the admission of {@code candidate}, beside those
   * it takes for its first tokens, >= 0. Ignored when no request is running, so that the queue
   * always progresses.
   *
   * @param cachedTokens tokens of the candidate found in the prefix cache
   * @param newTokens tokens that its first step would compute
   */
  int blocksToKeepFree(RequestView candidate, int cachedTokens, int newTokens, StepView step);

  /** A running request was preempted because blocks ran out: past answers were too low. */
  default void onPreempted(RequestView victim, StepView step) {}

  /** A step begins. */
  default void onStep(StepView step) {}
}
