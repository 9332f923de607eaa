package dev.headway.simulation.workload;

import dev.headway.api.internal.SplitMix64;

/**
 * A stream of random numbers for one purpose: SplitMix64 with samplers on top.
 *
 * <p>Written out here with {@link StrictMath}, so that a seed means the same numbers on every JDK
 * and processor. Streams of different purposes are independent: drawing more from one leaves the
 * others as they were. One thread only.
 */
public final class RandomStream {
  private long state;
  private double spareGaussian = Double.NaN;

  private RandomStream(long state) {
    this.state = state;
  }

  /** The stream of a purpose. */
  public static RandomStream of(long seed, String purpose) {
    return new RandomStream(Mixing.hash64(seed, purpose));
  }

  /** Any 64 bits. */
  public long nextLong() {
    state += SplitMix64.GOLDEN_GAMMA;
    return SplitMix64.mix(state);
  }

  /** Evenly in [0, bound). */
  public int nextInt(int bound) {
    return Mixing.bounded(nextLong(), bound);
  }

  /** Evenly in [0, 1), 53 bits. */
  public double nextDouble() {
    return (nextLong() >>> 11) * 0x1p-53;
  }

  /** Exponential with mean 1, by inversion. */
  public double nextExponential() {
    return -StrictMath.log(1.0 - nextDouble());
  }

  /** Standard normal, by Marsaglia's polar method. */
  public double nextGaussian() {
    if (!Double.isNaN(spareGaussian)) {
      final double result = spareGaussian;
      spareGaussian = Double.NaN;
      return result;
    }
    double x;
    double y;
    double square;
    do {
      x = 2 * nextDouble() - 1;
      y = 2 * nextDouble() - 1;
      square = x * x + y * y;
    } while (square >= 1 || square == 0);
    final double scale = StrictMath.sqrt(-2 * StrictMath.log(square) / square);
    spareGaussian = y * scale;
    return x * scale;
  }

  /**
   * Gamma with the given shape and mean 1 (Marsaglia and Tsang 2000, with their boost below shape
   * 1). The coefficient of variation is {@code 1 / sqrt(shape)}.
   */
  public double nextGammaOfMeanOne(double shape) {
    if (shape >= 1) {
      return nextGammaAtLeastOne(shape) / shape;
    }
    final double boost = StrictMath.pow(1.0 - nextDouble(), 1 / shape);
    return nextGammaAtLeastOne(shape + 1) * boost / shape;
  }

  private double nextGammaAtLeastOne(double shape) {
    final double d = shape - 1.0 / 3;
    final double c = 1 / StrictMath.sqrt(9 * d);
    while (true) {
      final double x = nextGaussian();
      final double root = 1 + c * x;
      final double v = root * root * root;
      if (v > 0
          && StrictMath.log(1.0 - nextDouble()) < x * x / 2 + d - d * v + d * StrictMath.log(v)) {
        return d * v;
      }
    }
  }
}
