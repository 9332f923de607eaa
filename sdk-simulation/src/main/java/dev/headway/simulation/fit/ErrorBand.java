package dev.headway.simulation.fit;

import java.util.Arrays;

/**
 * Nine in ten measured times are within this of the prediction: quantiles of measured over
 * predicted on steps that were held out (split conformal prediction: Lei et al., JASA 113(523),
 * 2018).
 *
 * @param low measured over predicted, exceeded by 95 %
 * @param high measured over predicted, exceeded by 5 %
 */
public record ErrorBand(double low, double high) {

  /** What is not known. */
  public static final ErrorBand UNKNOWN = new ErrorBand(Double.NaN, Double.NaN);

  private static final double TAIL = 0.05;
  private static final int FEWEST = 20;

  /** Whether a measured time over its prediction is within it; never if it is unknown. */
  public boolean contains(double ratio) {
    return ratio >= low && ratio <= high;
  }

  /** From relative errors, predicted over measured less 1; unknown from fewer than 20. */
  static ErrorBand of(double[] errors) {
    if (errors.length < FEWEST) {
      return UNKNOWN;
    }
    final double[] ratios = new double[errors.length];
    for (int i = 0; i < errors.length; i++) {
      ratios[i] = 1 / Math.max(1e-9, 1 + errors[i]);
    }
    Arrays.sort(ratios);
    final int last = ratios.length - 1;
    return new ErrorBand(
        ratios[(int) Math.floor(TAIL * last)], ratios[(int) Math.ceil((1 - TAIL) * last)]);
  }
}
