package dev.headway.routing.policy.builtin;

import dev.headway.routing.policy.BestPicker;
import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.WorkerSet;

/**
 * The cached share of the prompt against the queue, both in [0, 1], as endpoint pickers weigh them.
 *
 * @param prefixWeight weight of the cached share
 * @param queueWeight weight of being the least loaded
 */
record PrecisePrefix(double prefixWeight, double queueWeight) implements PrefixPolicy.Rule {

  @Override
  public void choose(
      RoutingRequest request,
      WorkerSet candidates,
      int[] matched,
      PendingTokens pending,
      RoutingDecision decision) {
    final int size = candidates.size();
    final double[] prefix = new double[size];
    final double[] queue = new double[size];
    final double[] totals = new double[size];
    double min = Double.POSITIVE_INFINITY;
    double max = 0;
    for (int i = 0; i < size; i++) {
      final double load = candidates.get(i).effectiveLoad();
      min = Math.min(min, load);
      max = Math.max(max, load);
    }
    for (int i = 0; i < size; i++) {
      final double load = candidates.get(i).effectiveLoad();
      prefix[i] = request.promptUnits() == 0 ? 0 : (double) matched[i] / request.promptUnits();
      queue[i] = max > min ? (max - load) / (max - min) : 1;
      totals[i] = prefixWeight * prefix[i] + queueWeight * queue[i];
    }
    decision.scored("prefix", prefixWeight, candidates, prefix);
    decision.scored("queue", queueWeight, candidates, queue);
    new BestPicker(RoutingBranch.SCORE).pick(request, candidates, totals, decision);
  }
}
