package dev.headway.report.analyze;

import java.util.Arrays;

/** Figures in ascending order. What is asked of none of them is NaN. */
public final class SortedSamples {

  private static final double MEDIAN = 0.5;

  private final double[] ascending;

  SortedSamples(double[] ascending) {
    this.ascending = ascending;
  }

  /** How many there are. */
  public int count() {
    return ascending.length;
  }

  /** The smallest. */
  public double min() {
    return quantile(0);
  }

  /** The largest. */
  public double max() {
    return quantile(1);
  }

  /** The quantile, by linear interpolation between the two nearest, as numpy's default. */
  public double quantile(double share) {
    if (ascending.length == 0) {
      return Double.NaN;
    }
    final double rank = share * (ascending.length - 1);
    final int below = (int) Math.floor(rank);
    final int above = Math.min(below + 1, ascending.length - 1);
    return ascending[below] + (rank - below) * (ascending[above] - ascending[below]);
  }

  /** Median of the distances from the median. */
  double medianAbsoluteDeviation() {
    final double median = quantile(MEDIAN);
    final double[] distances = new double[ascending.length];
    Arrays.setAll(distances, i -> Math.abs(ascending[i] - median));
    Arrays.sort(distances);
    return new SortedSamples(distances).quantile(MEDIAN);
  }
}
