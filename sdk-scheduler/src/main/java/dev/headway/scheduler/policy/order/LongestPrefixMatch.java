package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.Candidates;
import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.StepView;

/**
 * The request with the most tokens in the prefix cache first; those that had better wait for an
 * {@linkplain SharedPrefixes earlier one with the same beginning} last.
 *
 * <pre>{@code
 * score(r) = held back ? infinity : -cachedPrefixTokens(r)
 * }</pre>
 *
 * <p>When more than {@code fcfsAbove} requests wait, the order is that of arrival. Below that, a
 * request that finds nothing can starve behind a stream of those that do.
 *
 * <p>Source: SGLang {@code lpm}, with its limit of 128 waiting requests.
 */
public final class LongestPrefixMatch implements DynamicOrder {

  private final int fcfsAbove;
  private final SharedPrefixes shared;

  /** Makes the order with SGLang's limits: 128 waiting requests, 32 and 32 tokens. */
  public LongestPrefixMatch() {
    this(128, new SharedPrefixes(32, 32));
  }

  /**
   * Makes the order.
   *
   * @param fcfsAbove waiting requests above which arrival decides, >= 1
   * @param shared decides which requests are held back
   */
  public LongestPrefixMatch(int fcfsAbove, SharedPrefixes shared) {
    this.fcfsAbove = fcfsAbove;
    this.shared = shared;
  }

  @Override
  public int window() {
    return fcfsAbove;
  }

  @Override
  public void score(Candidates candidates, double[] scores, StepView step) {
    final boolean byArrival = step.waitingCount() > fcfsAbove;
    if (!byArrival) {
      shared.examine(candidates, step);
    }
    for (int index = 0; index < candidates.size(); index++) {
      if (byArrival) {
        scores[index] = 0;
      } else if (shared.isHeld(index)) {
        scores[index] = Double.POSITIVE_INFINITY;
      } else {
        scores[index] = -step.cachedPrefixTokens(candidates.request(index));
      }
    }
  }
}
