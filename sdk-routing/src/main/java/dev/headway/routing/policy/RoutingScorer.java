package dev.headway.routing.policy;

/** Says how well each candidate suits a request. Called by one thread at a time. */
public interface RoutingScorer extends RoutingObserver {

  /** What it looks at, for example {@code queue}; a column of decision files. */
  String name();

  /**
   * Fills {@code scores} by place among the candidates: greater is better, in [0, 1] if it is to be
   * weighed against others.
   *
   * @param scores as many as candidates, all 0
   * @param decision for what explains the scores beside them, such as matched tokens
   */
  void score(
      RoutingRequest request, WorkerSet candidates, double[] scores, RoutingDecision decision);
}
