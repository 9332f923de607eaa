package dev.headway.scheduler.policy.order;

import dev.headway.api.internal.SplitMix64;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.request.RequestView;

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
    final long state = seed + (request.number() + 1) * SplitMix64.GOLDEN_GAMMA;
    return SplitMix64.mix(state) >>> 11;
  }
}
