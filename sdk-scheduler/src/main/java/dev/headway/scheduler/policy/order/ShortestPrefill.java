package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.Candidates;
import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicyProvider;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.RequestView;
import dev.headway.scheduler.policy.PolicyOptions;

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
 * <p>No starvation: nobody who arrives more than {@code uncached / ageing} after r is served before
 * r, and r is held back only while an earlier one is not.
 *
 * <p>Source: SGLang {@code shortest-prefill-first}; the ageing is ours.
 */
public final class ShortestPrefill implements DynamicOrder {

  private final int window;
  private final double ageingPerNs;
  private final SharedPrefixes shared;

  /**
   * Makes the order with SGLang's limits for shared prefixes, 32 and 32 tokens.
   *
   * @param ageingPerSecond tokens that a second of waiting is worth, >= 0; 0 starves long prompts
   */
  public ShortestPrefill(double ageingPerSecond) {
    this(128, ageingPerSecond, new SharedPrefixes(32, 32));
  }

  private ShortestPrefill(int window, double ageingPerSecond, SharedPrefixes shared) {
    this.window = window;
    this.ageingPerNs = ageingPerSecond / 1e9;
    this.shared = shared;
  }

  @Override
  public int window() {
    return window;
  }

  @Override
  public void score(Candidates candidates, double[] scores, StepView step) {
    shared.examine(candidates, step);
    for (int index = 0; index < candidates.size(); index++) {
      final RequestView request = candidates.request(index);
      final int uncached = request.knownTokens() - step.cachedPrefixTokens(request);
      final double credit = ageingPerNs * (step.nowNs() - request.queuedNs());
      scores[index] =
          shared.isHeld(index) ? Double.POSITIVE_INFINITY : Math.max(1, uncached) - credit;
    }
  }

  /** Provides {@code shortest-prefill}. */
  public static final class Provider implements PolicyProvider {

    /** For the service loader. */
    public Provider() {}

    @Override
    public String name() {
      return "shortest-prefill";
    }

    @Override
    public String description() {
      return "Order: the fewest uncached tokens first, ageing. Options: ageing=1000 (tokens per"
          + " second waited; 0 starves), window=128 (requests scored), dedup-check=32,"
          + " dedup-share=32 (as in longest-prefix-match).";
    }

    @Override
    public Policies create(PolicyContext context) {
      final PolicyOptions options = PolicyOptions.of(name(), context);
      final double ageing = options.number("ageing", 1000, 0, 1e9);
      final int window = options.integer("window", 128, 1, 1 << 20);
      final SharedPrefixes shared = SharedPrefixes.from(options);
      options.requireNoOthers();
      return Policies.builder().order(new ShortestPrefill(window, ageing, shared)).build();
    }
  }
}
