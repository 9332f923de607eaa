package dev.headway.simulation.workload.arrival;

import dev.headway.simulation.workload.RandomStream;

/** Weibull with mean 1 and a given coefficient of variation, by inversion. */
final class WeibullGaps implements Gaps {
  private static final int BISECTIONS = 100;

  /** Lanczos' coefficients for g = 7, n = 9 (Godfrey), good to 1e-13. */
  private static final double[] LANCZOS = {
    0.9999999999998099,
    676.5203681218851,
    -1259.1392167224028,
    771.3234287776531,
    -176.6150291621406,
    12.507343278686905,
    -0.13857109526572012,
    9.984369578019572e-6,
    1.5056327351493116e-7
  };

  private final double shape;
  private final double scale;

  WeibullGaps(double variation) {
    Ranges.require("coefficient of variation of Weibull gaps", variation, 0.01, 10.4);
    shape = shapeOf(variation);
    scale = StrictMath.exp(-logGamma(1 + 1 / shape));
  }

  @Override
  public double next(RandomStream random) {
    return scale * StrictMath.pow(random.nextExponential(), 1 / shape);
  }

  /** The variation falls as the shape grows: bisection over [0.1, 200]. */
  private static double shapeOf(double variation) {
    double low = 0.1;
    double high = 200;
    for (int i = 0; i < BISECTIONS; i++) {
      final double middle = (low + high) / 2;
      if (variationOf(middle) > variation) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return (low + high) / 2;
  }

  private static double variationOf(double shape) {
    final double ratio = logGamma(1 + 2 / shape) - 2 * logGamma(1 + 1 / shape);
    return StrictMath.sqrt(StrictMath.expm1(ratio));
  }

  /** The logarithm of the gamma function of {@code x >= 1}. */
  static double logGamma(double x) {
    double sum = LANCZOS[0];
    for (int i = 1; i < LANCZOS.length; i++) {
      sum += LANCZOS[i] / (x - 1 + i);
    }
    final double t = x + 6.5;
    return 0.5 * StrictMath.log(2 * StrictMath.PI)
        + (x - 0.5) * StrictMath.log(t)
        - t
        + StrictMath.log(sum);
  }
}
