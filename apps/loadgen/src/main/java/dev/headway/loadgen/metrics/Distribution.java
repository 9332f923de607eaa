package dev.headway.loadgen.metrics;

import dev.headway.events.stats.Quantile;
import java.util.Arrays;

/**
 * Figures of a number of values, as numpy takes them: the standard deviation is that of the
 * population, percentiles are a {@link Quantile}. All are NaN if there is no value. Immutable.
 */
public final class Distribution {

  private static final double WHOLE = 100;

  private final double[] sorted;

  private Distribution(double[] sorted) {
    this.sorted = sorted;
  }

  /** The figures of {@code values}, which are copied. */
  public static Distribution of(double[] values) {
    final double[] sorted = values.clone();
    Arrays.sort(sorted);
    return new Distribution(sorted);
  }

  /** How many values there are. */
  public int count() {
    return sorted.length;
  }

  /** Their mean. */
  public double mean() {
    return sorted.length == 0 ? Double.NaN : Arrays.stream(sorted).sum() / sorted.length;
  }

  /** The middle one, or the mean of the two in the middle. */
  public double median() {
    return percentile(50);
  }

  /** Their standard deviation, of the population. */
  public double std() {
    final double mean = mean();
    return sorted.length == 0
        ? Double.NaN
        : Math.sqrt(Arrays.stream(sorted).map(v -> (v - mean) * (v - mean)).sum() / sorted.length);
  }

  /** The greatest. */
  public double max() {
    return sorted.length == 0 ? Double.NaN : sorted[sorted.length - 1];
  }

  /**
   * A percentile.
   *
   * @param percent in [0, 100]
   */
  public double percentile(double percent) {
    return Quantile.of(sorted, percent / WHOLE);
  }
}
