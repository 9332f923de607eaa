package dev.headway.scheduler.policy.order;

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
    long z = seed + (request.number() + 1) * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return (z ^ (z >>> 31)) >>> 11;
  }
}
