package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.Candidates;
import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicyProvider;
import dev.headway.api.policy.StepView;
import dev.headway.scheduler.policy.PolicyOptions;

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

  private LongestPrefixMatch(int fcfsAbove, SharedPrefixes shared) {
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

  /** Provides {@code longest-prefix-match}. */
  public static final class Provider implements PolicyProvider {

    /** For the service loader. */
    public Provider() {}

    @Override
    public String name() {
      return "longest-prefix-match";
    }

    @Override
    public String description() {
      return "Order: the most cached prefix tokens first; by arrival when many wait. Options:"
          + " fcfs-above=128 (waiting requests), dedup-check=32 (most cached tokens of a request"
          + " that may be held back), dedup-share=32 (tokens shared with an earlier one; 0: off).";
    }

    @Override
    public Policies create(PolicyContext context) {
      final PolicyOptions options = PolicyOptions.of(name(), context);
      final int fcfsAbove = options.integer("fcfs-above", 128, 1, 1 << 20);
      final SharedPrefixes shared = SharedPrefixes.from(options);
      options.requireNoOthers();
      return Policies.builder().order(new LongestPrefixMatch(fcfsAbove, shared)).build();
    }
  }
}
