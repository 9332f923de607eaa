package dev.headway.simulation.calibrate;

import dev.headway.toolbox.stats.Correlation;
import dev.headway.toolbox.stats.SortedSample;
import java.util.Arrays;
import java.util.List;

/**
 * One latency of all matched requests, measured and simulated.
 *
 * @param requests that have it in both runs
 * @param measured in ns
 * @param simulated in ns
 * @param meanError mean over the requests of the absolute relative errors (MAPE)
 * @param pearson correlation of the values; NaN if one side is constant
 * @param spearman correlation of the ranks
 */
public record LatencyComparison(
    LatencyMetric metric,
    int requests,
    SortedSample measured,
    SortedSample simulated,
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
    return new LatencyComparison(
        metric,
        count,
        SortedSample.of(measured),
        SortedSample.of(simulated),
        errors / count,
        Correlation.pearson(simulated, measured),
        Correlation.spearman(simulated, measured));
  }

  /** Simulated over measured less 1, of the means. */
  public double bias() {
    return simulated.mean() / measured.mean() - 1;
  }
}
