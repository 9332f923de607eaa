package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicyProvider;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.request.RequestView;
import dev.headway.scheduler.policy.PolicyOptions;

/**
 * A shuffled order that is the same in every run with the same seed: the key is a hash of the seed
 * and the request's number. A baseline for studies.
 *
 * <p>Source: SGLang {@code random}; the hash is the output function of SplitMix64 (Steele, Lea,
 * Flood, OOPSLA '14).
 */
public final class RandomOrder implements StaticOrder {

  private final long seed;

  /** Makes the order of {@code seed}. */
  public RandomOrder(long seed) {
    this.seed = seed;
  }

  @Override
  public double key(RequestView request) {
    long z = seed + (request.number() + 1) * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return (z ^ (z >>> 31)) >>> 11;
  }

  /** Provides {@code random}. */
  public static final class Provider implements PolicyProvider {

    /** For the service loader. */
    public Provider() {}

    @Override
    public String name() {
      return "random";
    }

    @Override
    public String description() {
      return "Order: shuffled, the same for the same seed. Options: seed=0.";
    }

    @Override
    public Policies create(PolicyContext context) {
      final PolicyOptions options = PolicyOptions.of(name(), context);
      final long seed = options.whole("seed", 0, Long.MIN_VALUE, Long.MAX_VALUE);
      options.requireNoOthers();
      return Policies.builder().order(new RandomOrder(seed)).build();
    }
  }
}
