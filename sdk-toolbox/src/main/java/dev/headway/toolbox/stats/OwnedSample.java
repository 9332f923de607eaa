package dev.headway.toolbox.stats;

import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Figures that belong to owners, as latencies do to requests, where an owner counts not at all,
 * once or several times: what a bootstrap over owners takes quantiles of. Immutable.
 */
public final class OwnedSample {

  private final double[] ascending;
  private final int[] owners;

  private OwnedSample(double[] ascending, int[] owners) {
    this.ascending = ascending;
    this.owners = owners;
  }

  /** One figure of each owner, by index; NaN is left out. */
  public static OwnedSample ofEach(double[] values) {
    final int[] present =
        IntStream.range(0, values.length).filter(i -> !Double.isNaN(values[i])).toArray();
    return of(IntStream.of(present).mapToDouble(i -> values[i]).toArray(), present);
  }

  /** Figures in any order, and the index of the owner of each. */
  public static OwnedSample of(double[] values, int[] owners) {
    final int[] order =
        IntStream.range(0, values.length)
            .boxed()
            .sorted(Comparator.comparingDouble(i -> values[i]))
            .mapToInt(Integer::intValue)
            .toArray();
    return new OwnedSample(
        IntStream.of(order).mapToDouble(i -> values[i]).toArray(),
        IntStream.of(order).map(i -> owners[i]).toArray());
  }

  /**
   * The {@link Quantile} of the figures, each as often as its owner counts.
   *
   * @param weights how often an owner counts, by index
   * @param share in [0, 1]
   * @return NaN if none counts
   */
  public double quantile(int[] weights, double share) {
    long total = 0;
    for (int owner : owners) {
      total += weights[owner];
    }
    return Quantile.of(new Weighted(weights), total, share);
  }

  /** The figures, each as often as its owner counts. */
  private final class Weighted implements Quantile.Ranked {

    private final int[] weights;
    private long passed;
    private int index = -1;

    Weighted(int[] weights) {
      this.weights = weights;
    }

    @Override
    public double at(long rank) {
      while (passed <= rank) {
        index++;
        passed += weights[owners[index]];
      }
      return ascending[index];
    }
  }
}
