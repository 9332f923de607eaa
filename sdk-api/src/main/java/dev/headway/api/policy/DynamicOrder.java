package dev.headway.api.policy;

/**
 * An order that changes from step to step: the first {@link #window()} waiting requests, by arrival
 * and preempted ones first, are scored again in each step that can admit a request. Requests beyond
 * the window are not scored, so that the cost of a step does not grow with the queue.
 */
public non-sealed interface DynamicOrder extends QueueOrder {

  /** Most requests scored in a step, >= 1; read once. */
  default int window() {
    return 128;
  }

  /** Whether an admission changes the scores of the others, so that they are scored again. */
  default boolean changesWithAdmissions() {
    return false;
  }

  /**
   * Scores the candidates: the smallest score is considered first, equal scores go by their
   * position.
   *
   * @param candidates in the order of arrival
   * @param scores to be filled in [0, candidates.size()), with numbers (no NaN)
   */
  void score(Candidates candidates, double[] scores, StepView step);
}
