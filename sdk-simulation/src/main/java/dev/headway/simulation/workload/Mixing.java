package dev.headway.simulation.workload;

/** The 64-bit finaliser of SplitMix64 (Steele, Lea, Flood 2014) and what is built on it. */
final class Mixing {
  /** The odd increment of SplitMix64, 2^64 divided by the golden ratio. */
  static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

  private Mixing() {}

  static long mix64(long value) {
    long z = value;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  static long hash64(long seed, String text) {
    long hash = mix64(seed + GOLDEN_GAMMA);
    for (int i = 0; i < text.length(); i++) {
      hash = mix64((hash ^ text.charAt(i)) + GOLDEN_GAMMA);
    }
    return hash;
  }

  /** Maps 64 mixed bits to [0, bound) by multiplication, which is cheaper than a remainder. */
  static int bounded(long mixed, int bound) {
    return (int) (((mixed >>> 32) * bound) >>> 32);
  }
}
