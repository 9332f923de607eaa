package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.Candidates;
import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.RequestView;

/**
 * An order of requests by what they have left to compute, in which those that had better wait for
 * an {@linkplain SharedPrefixes earlier one with the same beginning} are last. The engine's thread.
 */
abstract class HeldLast implements DynamicOrder {

  private final int window;
  private final SharedPrefixes shared;

  HeldLast(int window, SharedPrefixes shared) {
    this.window = window;
    this.shared = shared;
  }

  /** The score of a request that is not held back; {@code uncached} is at least 1. */
  abstract double score(RequestView request, int uncached, StepView step);

  @Override
  public final int window() {
    return window;
  }

  @Override
  public final void score(Candidates candidates, double[] scores, StepView step) {
    shared.examine(candidates, step);
    for (int index = 0; index < candidates.size(); index++) {
      final RequestView request = candidates.request(index);
      final int uncached = request.knownTokens() - step.cachedPrefixTokens(request);
      scores[index] =
          shared.isHeld(index)
              ? Double.POSITIVE_INFINITY
              : score(request, Math.max(1, uncached), step);
    }
  }
}
