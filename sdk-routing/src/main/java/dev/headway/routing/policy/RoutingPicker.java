package dev.headway.routing.policy;

/** Picks one of scored candidates. Called by one thread at a time. */
@FunctionalInterface
public interface RoutingPicker {

  /**
   * Chooses with {@link RoutingDecision#choose}.
   *
   * @param candidates at least one
   * @param totals weighted sums of the scores by place; all 0 if there is no scorer
   */
  void pick(
      RoutingRequest request, WorkerSet candidates, double[] totals, RoutingDecision decision);
}
