package dev.headway.toolbox.stats;

import java.util.Arrays;

/** Figures in ascending order. What is asked of none of them is NaN. Immutable. */
public final class SortedSample {

  private static final double MEDIAN = 0.5;
  private static final double WHOLE = 100;

  private final double[] ascending;

  private SortedSample(double[] ascending) {
    this.ascending = ascending;
  }

  /** The figures {@code values}, which are copied. */
  public static SortedSample of(double[] values) {
    final double[] ascending = values.clone();
    Arrays.sort(ascending);
    return new SortedSample(ascending);
  }

  /** The figures {@code ascending}, which are not copied. */
  public static SortedSample ofAscending(double[] ascending) {
    return new SortedSample(ascending);
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

  /** Their mean. */
  public double mean() {
    return count() == 0 ? Double.NaN : Arrays.stream(ascending).sum() / count();
  }

  /** Their standard deviation, of the population. */
  public double standardDeviation() {
    final double mean = mean();
    return count() == 0
        ? Double.NaN
        : Math.sqrt(Arrays.stream(ascending).map(v -> (v - mean) * (v - mean)).sum() / count());
  }

  /** The middle one, or the mean of the two in the middle. */
  public double median() {
    return quantile(MEDIAN);
  }

  /** The {@link Quantile} of {@code share} in [0, 1]. */
  public double quantile(double share) {
    return Quantile.of(ascending, share);
  }

  /** The {@link Quantile} of {@code percent} in [0, 100]. */
  public double percentile(double percent) {
    return quantile(percent / WHOLE);
  }

  /** Median of the distances from the median. */
  public double medianAbsoluteDeviation() {
    if (ascending.length == 0) {
      return Double.NaN;
    }
    final double median = median();
    final int last = ascending.length - 1;
    int below = ascending.length / 2 - 1; // from the middle outwards, the distances ascend
    int above = below + 1;
    double distance = Double.NaN;
    for (int rank = 0; rank <= last / 2; rank++) {
      distance =
          isNearer(below, above, median)
              ? median - ascending[below--]
              : ascending[above++] - median;
    }
    if ((last & 1) == 0) {
      return distance;
    }
    final double next =
        isNearer(below, above, median) ? median - ascending[below] : ascending[above] - median;
    return distance + 0.5 * (next - distance);
  }

  private boolean isNearer(int below, int above, double median) {
    return above == ascending.length
        || (below >= 0 && median - ascending[below] <= ascending[above] - median);
  }
}
