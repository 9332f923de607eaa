package dev.headway.simulation.fit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * How well predicted times agree with measured ones. Errors are relative: {@code predicted /
 * measured - 1}.
 *
 * @param steps how many
 * @param r2 share of the variance of the measured times that is explained; below 0 if their mean
 *     were a better prediction, and NaN if they are all equal
 * @param meanError mean of the absolute errors (MAPE)
 * @param medianError median of the absolute errors
 * @param p90Error nine in ten absolute errors are at most this
 * @param bias mean of the errors: above 0 if predictions are too long
 */
public record FitQuality(
    int steps, double r2, double meanError, double medianError, double p90Error, double bias) {

  /** Collects predictions. */
  static final class Builder {

    private final List<Double> errors = new ArrayList<>();
    private double sum;
    private double squares;
    private double residuals;
    private double signed;

    void add(double predictedNs, double measuredNs) {
      final double error = predictedNs / measuredNs - 1;
      errors.add(Math.abs(error));
      signed += error;
      sum += measuredNs;
      squares += measuredNs * measuredNs;
      residuals += (predictedNs - measuredNs) * (predictedNs - measuredNs);
    }

    FitQuality build() {
      final int n = errors.size();
      if (n == 0) {
        return new FitQuality(0, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
      }
      Collections.sort(errors);
      final double variance = squares - sum * sum / n;
      double total = 0;
      for (double error : errors) {
        total += error;
      }
      return new FitQuality(
          n,
          variance > 0 ? 1 - residuals / variance : Double.NaN,
          total / n,
          errors.get((n - 1) / 2),
          errors.get((int) Math.ceil(0.9 * n) - 1),
          signed / n);
    }
  }
}
