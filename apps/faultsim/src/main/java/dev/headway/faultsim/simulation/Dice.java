package dev.headway.faultsim.simulation;

import dev.headway.api.internal.SplitMix64;

/**
 * Random numbers that are a function of what they are for: started with the seed of a scenario, a
 * purpose and an index. What is drawn for one operation does not change when another one is left
 * out, so that scenarios can be shrunk. The generator is {@link SplitMix64}.
 */
final class Dice {

  private long state;

  /** Starts the numbers of a purpose. */
  Dice start(long seed, String purpose, long index) {
    state =
        SplitMix64.mix(SplitMix64.mix(seed + SplitMix64.GOLDEN_GAMMA * purpose.hashCode()) + index);
    return this;
  }

  /** Any number. */
  long next() {
    state += SplitMix64.GOLDEN_GAMMA;
    return SplitMix64.mix(state);
  }

  /** A number in [0, bound). */
  int below(int bound) {
    return (int) (((next() >>> 32) * bound) >>> 32);
  }

  /** A number in [from, to]. */
  int between(int from, int to) {
    return from + below(to - from + 1);
  }

  /** True once in {@code n} times. */
  boolean oneIn(int n) {
    return below(n) == 0;
  }

  /** One of some values. */
  <T> T pick(T[] values) {
    return values[below(values.length)];
  }

  /** A hash of two numbers. */
  static long mix(long a, long b) {
    return SplitMix64.mix(a * SplitMix64.GOLDEN_GAMMA + b);
  }
}
