package dev.headway.simulation.regression;

import dev.headway.toolbox.stats.Quantile;
import java.util.Arrays;

/**
 * How well predictions agree with measurements. Relative errors are {@code predicted / measured -
 * 1}, for measurements above 0; all but the first figure are NaN without a row.
 *
 * @param rows how many
 * @param r2 share of the variance of the measurements that is explained; below 0 if their mean were
 *     a better prediction, and NaN if they are all equal
 * @param rmse root of the mean of the squared errors, in the unit of the target
 * @param meanAbsolute mean of the absolute errors, in the unit of the target
 * @param meanError mean of the absolute relative errors (MAPE)
 * @param medianError median of the absolute relative errors
 * @param p90Error nine in ten absolute relative errors are at most this
 * @param bias mean of the relative errors: above 0 if predictions are too long
 * @param autocorrelation of relative errors with those of the row before, in [-1, 1]: far from 0,
 *     something that lasts longer than a row is not in the model
 */
public record FitQuality(
    int rows,
    double r2,
    double rmse,
    double meanAbsolute,
    double meanError,
    double medianError,
    double p90Error,
    double bias,
    double autocorrelation) {

  /**
   * The share of the variance that is explained, less what so many coefficients explain of noise.
   */
  public double adjustedR2(int coefficients) {
    return 1 - (1 - r2) * (rows - 1) / Math.max(1, rows - coefficients);
  }

  /** Collects predictions in the order of time. Not thread-safe. */
  public static final class Builder {

    private double[] errors = new double[64];
    private int rows;
    private double sum;
    private double squares;
    private double residuals;
    private double absolute;

    /** Starts without predictions. */
    public Builder() {}

    /** Adds a prediction of something measured, which is above 0. */
    public void add(double predicted, double measured) {
      if (rows == errors.length) {
        errors = Arrays.copyOf(errors, 2 * rows);
      }
      errors[rows++] = predicted / measured - 1;
      sum += measured;
      squares += measured * measured;
      residuals += (predicted - measured) * (predicted - measured);
      absolute += Math.abs(predicted - measured);
    }

    /** The relative errors so far, in the order in which they were added. */
    public double[] errors() {
      return Arrays.copyOf(errors, rows);
    }

    /** The figures so far. */
    public FitQuality build() {
      if (rows == 0) {
        final double none = Double.NaN;
        return new FitQuality(0, none, none, none, none, none, none, none, none);
      }
      final double[] sorted = new double[rows];
      double total = 0;
      double signed = 0;
      for (int i = 0; i < rows; i++) {
        sorted[i] = Math.abs(errors[i]);
        total += sorted[i];
        signed += errors[i];
      }
      Arrays.sort(sorted);
      final double variance = squares - sum * sum / rows;
      return new FitQuality(
          rows,
          variance > 0 ? 1 - residuals / variance : Double.NaN,
          Math.sqrt(residuals / rows),
          absolute / rows,
          total / rows,
          Quantile.of(sorted, 0.5),
          Quantile.of(sorted, 0.9),
          signed / rows,
          autocorrelation(signed / rows));
    }

    private double autocorrelation(double mean) {
      double lagged = 0;
      double own = 0;
      for (int i = 0; i < rows; i++) {
        final double error = errors[i] - mean;
        own += error * error;
        lagged += i == 0 ? 0 : error * (errors[i - 1] - mean);
      }
      return own > 0 ? lagged / own : Double.NaN;
    }
  }
}
