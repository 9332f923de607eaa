package dev.headway.simulation.compare;

import dev.headway.events.stats.Quantile;

/** Percentiles of figures of requests, each a {@link Quantile}. Stateless; any thread. */
public final class Quantiles {

  private static final double WHOLE = 100;

  private Quantiles() {}

  /** The percentile of values in ascending order; NaN of none. */
  public static double ofSorted(double[] sorted, double percent) {
    return Quantile.of(sorted, percent / WHOLE);
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
    return Quantile.of(new Weighted(sorted, owners, weights), total, percent / WHOLE);
  }

  /** Values, each as often as its weight says. */
  private static final class Weighted implements Quantile.Ranked {

    private final double[] sorted;
    private final int[] owners;
    private final int[] weights;
    private long passed;
    private int index = -1;

    Weighted(double[] sorted, int[] owners, int[] weights) {
      this.sorted = sorted;
      this.owners = owners;
      this.weights = weights;
    }

    @Override
    public double at(long rank) {
      while (passed <= rank) {
        index++;
        passed += weights[owners[index]];
      }
      return sorted[index];
    }
  }
}
