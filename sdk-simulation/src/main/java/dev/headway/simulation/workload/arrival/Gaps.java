package dev.headway.simulation.workload.arrival;

import dev.headway.simulation.workload.RandomStream;

/** How evenly requests follow one another: a distribution of gaps with mean 1. Immutable. */
@FunctionalInterface
public interface Gaps {
  /**
   * Draws a gap.
   *
   * @param random where numbers come from
   * @return at least 0, with mean 1
   */
  double next(RandomStream random);

  /** All gaps are equal. */
  static Gaps constant() {
    return random -> 1.0;
  }

  /** Poisson arrivals: exponential gaps, coefficient of variation 1. */
  static Gaps exponential() {
    return RandomStream::nextExponential;
  }

  /**
   * Gamma gaps, as BLIS and ServeGen describe them.
   *
   * @param variation coefficient of variation, in [0.1, 10]: 1 is Poisson, more is burstier
   * @return the gaps
   */
  static Gaps gamma(double variation) {
    Ranges.require("coefficient of variation of gamma gaps", variation, 0.1, 10);
    return gammaOfShape(1 / (variation * variation));
  }

  /**
   * Gamma gaps by their shape, the {@code --burstiness} of {@code vllm bench serve}.
   *
   * @param shape in [0.01, 100]: 1 is Poisson, less is burstier
   * @return the gaps
   */
  static Gaps gammaOfShape(double shape) {
    Ranges.require("shape of gamma gaps", shape, 0.01, 100);
    return shape == 1 ? exponential() : random -> random.nextGammaOfMeanOne(shape);
  }

  /**
   * Weibull gaps.
   *
   * @param variation coefficient of variation, in [0.01, 10.4]: 1 is Poisson, more is burstier
   * @return the gaps
   */
  static Gaps weibull(double variation) {
    return new WeibullGaps(variation);
  }
}
