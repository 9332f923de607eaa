package dev.headway.routing.policy;

/** Picks the greatest total; equal ones by {@link LeastLoad#ORDER}. */
public final class BestPicker implements RoutingPicker {

  private final RoutingBranch branch;

  /** Picks, and says so with {@code branch}. */
  public BestPicker(RoutingBranch branch) {
    this.branch = branch;
  }

  @Override
  public void pick(
      RoutingRequest request, WorkerSet candidates, double[] totals, RoutingDecision decision) {
    int best = 0;
    for (int i = 1; i < totals.length; i++) {
      final int order = Double.compare(totals[i], totals[best]);
      if (order > 0
          || (order == 0 && LeastLoad.ORDER.compare(candidates.get(i), candidates.get(best)) < 0)) {
        best = i;
      }
    }
    decision.choose(candidates.get(best), branch);
  }
}
