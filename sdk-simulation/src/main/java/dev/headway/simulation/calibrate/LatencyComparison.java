package dev.headway.simulation.calibrate;

import dev.headway.toolbox.stats.Correlation;
import dev.headway.toolbox.stats.Quantile;
import java.util.Arrays;
import java.util.List;

/**
 * One latency of all matched requests, measured and simulated.
 *
 * @param requests that have it in both runs
 * @param measured sorted, in ns; not to be changed
 * @param simulated sorted, in ns; not to be changed
 * @param meanError mean over the requests of the absolute relative errors (MAPE)
 * @param pearson correlation of the values; NaN if one side is constant
 * @param spearman correlation of the ranks
 */
@SuppressWarnings("ArrayRecordComponent") // large, and made once
public record LatencyComparison(
    LatencyMetric metric,
    int requests,
    double[] measured,
    double[] simulated,
    double meanError,
    double pearson,
    double spearman) {

  static LatencyComparison of(LatencyMetric metric, List<Calibration.Pair> pairs) {
    double[] measured = new double[pairs.size()];
    double[] simulated = new double[pairs.size()];
    int count = 0;
    double errors = 0;
    for (Calibration.Pair pair : pairs) {
      final double real = metric.ns(pair.measured());
      final double predicted = metric.ns(pair.simulated());
      if (real > 0 && predicted >= 0) {
        measured[count] = real;
        simulated[count++] = predicted;
        errors += Math.abs(predicted / real - 1);
      }
    }
    measured = Arrays.copyOf(measured, count);
    simulated = Arrays.copyOf(simulated, count);
    final double pearson = Correlation.pearson(simulated, measured);
    final double spearman = Correlation.spearman(simulated, measured);
    Arrays.sort(measured);
    Arrays.sort(simulated);
    return new LatencyComparison(
        metric, count, measured, simulated, errors / count, pearson, spearman);
  }

  /** The mean of one side; NaN without requests. */
  public static double mean(double[] sorted) {
    return Arrays.stream(sorted).average().orElse(Double.NaN);
  }

  /** The {@link Quantile} of one side; NaN without requests. */
  public static double quantile(double[] sorted, double share) {
    return Quantile.of(sorted, share);
  }

  /** Simulated over measured less 1, of the means. */
  public double bias() {
    return mean(simulated) / mean(measured) - 1;
  }
}
