package dev.headway.routing.policy.builtin;

import dev.headway.routing.policy.BestPicker;
import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingDecision;

/**
 * The cached share of the prompt against the queue, both in [0, 1], as endpoint pickers weigh them.
 *
 * @param prefixWeight weight of the cached share
 * @param queueWeight weight of being the least loaded
 */
record PrecisePrefix(double prefixWeight, double queueWeight) implements PrefixPolicy.Rule {

  @Override
  public void choose(PrefixCandidates candidates, RoutingDecision decision) {
    final int size = candidates.size();
    final int units = candidates.request().promptUnits();
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
      prefix[i] = units == 0 ? 0 : (double) candidates.matched()[i] / units;
      queue[i] = max > min ? (max - load) / (max - min) : 1;
      totals[i] = prefixWeight * prefix[i] + queueWeight * queue[i];
    }
    decision.scored("prefix", prefixWeight, candidates.workers(), prefix);
    decision.scored("queue", queueWeight, candidates.workers(), queue);
    new BestPicker(RoutingBranch.SCORE)
        .pick(candidates.request(), candidates.workers(), totals, decision);
  }
}
