package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.StepView;
import dev.headway.api.request.RequestView;

/**
 * The request with the fewest tokens to compute before its next output first, with linear ageing;
 * those that had better wait for an {@linkplain SharedPrefixes earlier one with the same beginning}
 * last.
 *
 * <pre>{@code
 * score(r) = held back ? infinity
 *          : max(1, known - cachedPrefixTokens(r)) - ageing * waited(r)
 * }</pre>
 *
 * <p>No starvation: no request that arrives more than {@code uncached / ageing} after r is served
 * before r, and r is held back only while an earlier one is not.
 *
 * <p>Source: SGLang {@code shortest-prefill-first}; the ageing is ours.
 */
public final class ShortestPrefill extends HeldLast {

  private final double ageingPerNs;

  /**
   * Makes the order with SGLang's limits for shared prefixes, 32 and 32 tokens.
   *
   * @param ageingPerSecond tokens that a second of waiting is worth, >= 0; 0 starves long prompts
   */
  public ShortestPrefill(double ageingPerSecond) {
    this(128, ageingPerSecond, new SharedPrefixes(32, 32));
  }

  /**
   * Makes the order.
   *
   * @param window requests scored, >= 1
   * @param ageingPerSecond tokens that a second of waiting is worth, >= 0; 0 starves long prompts
   * @param shared decides which requests are held back
   */
  public ShortestPrefill(int window, double ageingPerSecond, SharedPrefixes shared) {
    super(window, shared);
    this.ageingPerNs = ageingPerSecond / 1e9;
  }

  @Override
  double score(RequestView request, int uncached, StepView step) {
    return uncached - ageingPerNs * (step.nowNs() - request.queuedNs());
  }
}
