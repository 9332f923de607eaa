package dev.headway.toolbox.stats;

/**
 * What every quantile and percentile of Headway is: the value at rank {@code share * (count - 1)}
 * of the values in ascending order, counted from 0, and between two ranks the line from one value
 * to the other, as numpy's default. So the same run has the same 99th percentile in every command.
 * Medians by another rule have names of their own.
 *
 * <p>Stateless; any thread. In the unit of the values.
 */
public final class Quantile {

  private static final double HALF = 0.5;

  private Quantile() {}

  /** Values in ascending order, for instance in bins, or with weights. */
  @FunctionalInterface
  public interface Ranked {
    /** The value of a rank in [0, count), asked for in ascending order; NaN if it is not known. */
    double at(long rank);
  }

  /**
   * The quantile of values in ascending order.
   *
   * @param ascending not changed
   * @param share in [0, 1]; 0.99 for the 99th percentile
   * @return NaN of no values
   */
  public static double of(double[] ascending, double share) {
    return of(rank -> ascending[(int) rank], ascending.length, share);
  }

  /**
   * The quantile of values that are asked for by rank, at most two of them.
   *
   * @param count how many values there are
   * @param share in [0, 1]; 0.99 for the 99th percentile
   * @return NaN of no values, and if a value that it needs is NaN
   */
  public static double of(Ranked values, long count, double share) {
    if (count == 0) {
      return Double.NaN;
    }
    final double rank = share * (count - 1);
    final long below = (long) rank;
    final double low = values.at(below);
    if (below == rank) {
      return low;
    }
    return between(low, values.at(below + 1), rank - below);
  }

  /**
   * The smallest value that at least half of all do not exceed: of an even number the lower one in
   * the middle. Where a figure must be one of the values.
   *
   * @param ascending at least one; not changed
   */
  public static long lowerMedian(long[] ascending) {
    return ascending[(ascending.length - 1) / 2];
  }

  /**
   * Of an even number of values the upper one in the middle: the scale of errors in fits that hold
   * outliers back, whose coefficients must not change.
   *
   * @param ascending at least one; not changed
   */
  public static double upperMedian(double[] ascending) {
    return ascending[ascending.length / 2];
  }

  /** From one value to the other, exact at both ends. */
  private static double between(double low, double high, double part) {
    return part < HALF ? low + (high - low) * part : high - (high - low) * (1 - part);
  }
}
