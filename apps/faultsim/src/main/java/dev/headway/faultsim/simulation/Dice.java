package dev.headway.faultsim.simulation;

/**
 * Random numbers that are a function of what they are for: started with the seed of a scenario, a
 * purpose and an index. What is drawn for one operation does not change when another one is left
 * out, so that scenarios can be shrunk. The generator is SplitMix64 (Steele, Lea, Flood 2014).
 */
final class Dice {

  private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

  private long state;

  /** Starts the numbers of a purpose. */
  Dice start(long seed, String purpose, long index) {
    state = mix(mix(seed + GOLDEN_GAMMA * purpose.hashCode()) + index);
    return this;
  }

  /** Any number. */
  long next() {
    state += GOLDEN_GAMMA;
    return mix(state);
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
    return mix(a * GOLDEN_GAMMA + b);
  }

  private static long mix(long value) {
    long z = value;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
