package dev.headway.report.analyze;

import dev.headway.events.stats.Quantile;

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

  /** The {@link Quantile} of {@code share} in [0, 1]. */
  public double quantile(double share) {
    return Quantile.of(ascending, share);
  }

  /** Median of the distances from the median. */
  double medianAbsoluteDeviation() {
    if (ascending.length == 0) {
      return Double.NaN;
    }
    final double median = quantile(MEDIAN);
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
