package dev.headway.simulation.fleet;

import java.util.List;

/**
 * What a decision cost against the best one. For each instance the time to the first token is
 * predicted by the same {@link FirstTokenTime} from the true state at the moment of the decision,
 * without delay:
 *
 * <pre>
 * estimate(i) = rest of the step under way at i
 *             + time for the prompt tokens that i has not computed and the uncached ones of this one
 * regret      = estimate(chosen) - min over i of estimate(i)      in ns, >= 0
 * </pre>
 *
 * <p>A request counts with all its uncached tokens until its first token. The best by this measure
 * is the best for this request alone: what the choice does to later requests is not in it. One
 * thread.
 */
final class Hindsight {

  private final FirstTokenTime time;
  private final int blockSize;
  private final long[] pendingTokens;
  private int lastUncached;

  Hindsight(FirstTokenTime time, int instances, int blockSize) {
    this.time = time;
    this.blockSize = blockSize;
    pendingTokens = new long[instances];
  }

  /** Regret of giving a prompt to {@code chosen} now. */
  long regretNs(
      List<FleetInstance> instances, int chosen, long[] chain, int promptTokens, long nowNs) {
    double best = Double.POSITIVE_INFINITY;
    double own = 0;
    for (int i = 0; i < instances.size(); i++) {
      final FleetInstance instance = instances.get(i);
      final int cached = instance.contents().matchNow(chain, nowNs) * blockSize;
      final int uncached = Math.max(1, promptTokens - cached);
      final double estimate =
          Math.max(0, instance.nowNs() - nowNs)
              + time.ns(pendingTokens[i], instance.decoding(nowNs), uncached);
      best = Math.min(best, estimate);
      if (i == chosen) {
        own = estimate;
        lastUncached = uncached;
      }
    }
    return Math.round(own - best);
  }

  /** Uncached tokens of the prompt looked at last, on the instance that was chosen. */
  int lastUncached() {
    return lastUncached;
  }

  void routed(FleetRequest request) {
    pendingTokens[request.instance()] += request.uncachedTokens;
  }

  /** Its prompt is computed, or never will be. */
  void computed(FleetRequest request) {
    pendingTokens[request.instance()] -= request.uncachedTokens;
  }
}
