package dev.headway.simulation.workload;

import dev.headway.api.internal.SplitMix64;

/** What is built on {@link SplitMix64}. */
final class Mixing {
  private Mixing() {}

  static long hash64(long seed, String text) {
    long hash = SplitMix64.mix(seed + SplitMix64.GOLDEN_GAMMA);
    for (int i = 0; i < text.length(); i++) {
      hash = SplitMix64.mix((hash ^ text.charAt(i)) + SplitMix64.GOLDEN_GAMMA);
    }
    return hash;
  }

  /** Maps 64 mixed bits to [0, bound) by multiplication, which is cheaper than a remainder. */
  static int bounded(long mixed, int bound) {
    return (int) (((mixed >>> 32) * bound) >>> 32);
  }
}
