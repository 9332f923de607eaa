package dev.headway.api.internal;

/**
 * The parts of SplitMix64 (Steele, Lea, Flood, OOPSLA '14) of which hashes and seeded numbers are
 * made. Any thread; allocates nothing.
 */
public final class SplitMix64 {

  /** What its state grows by: odd, 2^64 divided by the golden ratio. */
  public static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

  private SplitMix64() {}

  /** Spreads a number over 64 bits, one to one: its output for a state. */
  public static long mix(long state) {
    long z = state;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
