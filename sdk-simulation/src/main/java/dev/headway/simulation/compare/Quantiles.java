package dev.headway.simulation.compare;

/**
 * Percentiles by nearest rank: the smallest value that at least so many percent of all do not
 * exceed. Always one of the values, so an interval's ends were observed.
 */
public final class Quantiles {

  private Quantiles() {}

  /** The percentile of values in ascending order; NaN of none. */
  public static double ofSorted(double[] sorted, double percent) {
    return sorted.length == 0 ? Double.NaN : sorted[(int) rank(sorted.length, percent) - 1];
  }

  /**
   * The percentile of values in ascending order, each counted as often as its weight says.
   *
   * @param weights of the requests, by index
   * @param owners index of the request that a value belongs to, in the order of the values
   * @return NaN if all weights are 0
   */
  public static double weighted(double[] sorted, int[] owners, int[] weights, double percent) {
    long total = 0;
    for (int owner : owners) {
      total += weights[owner];
    }
    if (total == 0) {
      return Double.NaN;
    }
    final long rank = rank(total, percent);
    long passed = 0;
    int at = -1;
    while (passed < rank) {
      at++;
      passed += weights[owners[at]];
    }
    return sorted[at];
  }

  /** How many values of {@code total} must not exceed the percentile, in [1, total]. */
  static long rank(long total, double percent) {
    return Math.clamp((long) Math.ceil(percent / 100 * total), 1, total);
  }
}
