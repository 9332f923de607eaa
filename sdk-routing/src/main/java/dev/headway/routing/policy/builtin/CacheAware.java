package dev.headway.routing.policy.builtin;

import dev.headway.routing.policy.BestPicker;
import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.Worker;
import java.util.Arrays;

/**
 * Cached prefixes against load, after the cache-aware policy of SGLang's router, with what is known
 * to be weak there mended:
 *
 * <ul>
 *   <li>of several workers with the prefix, the one with less to do is chosen;
 *   <li>a match is worth the tokens it saves, and pending tokens cost what they are: there is no
 *       threshold at which the choice flips, unless one is set;
 *   <li>when loads are uneven, prefixes still decide among workers near the least load;
 *   <li>load is tokens that wait to be computed, beside requests in flight;
 *   <li>workers count by their weight.
 * </ul>
 *
 * @param threshold share of the prompt below which a match counts as none, in [0, 1]
 * @param balanceAbs loads are uneven if they differ by more requests than this
 * @param balanceRel and the greatest is more than this many times the least
 */
record CacheAware(double threshold, double balanceAbs, double balanceRel)
    implements PrefixPolicy.Rule {

  @Override
  public void choose(PrefixCandidates candidates, RoutingDecision decision) {
    final int size = candidates.size();
    final double[] loads = new double[size];
    for (int i = 0; i < size; i++) {
      loads[i] = candidates.get(i).effectiveLoad();
    }
    final double min = Arrays.stream(loads).min().orElse(0);
    final double max = Arrays.stream(loads).max().orElse(0);
    final boolean uneven = max - min > balanceAbs && max > balanceRel * min;
    final double[] saved = new double[size];
    final double[] waiting = new double[size];
    final double[] totals = new double[size];
    for (int i = 0; i < size; i++) {
      saved[i] = isWorth(candidates, i) ? candidates.cachedTokens(i) : 0;
      waiting[i] =
          -candidates.pending().prefillTokens(candidates.get(i)) * weight(candidates.get(i));
      totals[i] =
          uneven && loads[i] > min + balanceAbs ? Double.NEGATIVE_INFINITY : saved[i] + waiting[i];
    }
    decision.scored("saved_tokens", 1, candidates.workers(), saved);
    decision.scored("pending_tokens", 1, candidates.workers(), waiting);
    final RoutingBranch missed =
        uneven ? RoutingBranch.IMBALANCE_MINLOAD : RoutingBranch.CACHE_MISS_MINLOAD;
    new BestPicker(missed).pick(candidates.request(), candidates.workers(), totals, decision);
    final int chosen = decision.chosenAmong(candidates.workers());
    if (saved[chosen] > 0) {
      decision.choose(candidates.get(chosen), RoutingBranch.CACHE_HIT);
    }
  }

  private boolean isWorth(PrefixCandidates candidates, int index) {
    return candidates.matched()[index] > threshold * candidates.request().promptUnits();
  }

  private static double weight(Worker worker) {
    return worker.cost() * 50 / worker.priority();
  }
}
