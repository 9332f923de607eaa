package dev.headway.toolbox.stats;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Correlations of two series. Stateless. */
public final class Correlation {

  private Correlation() {}

  /**
   * Spearman's rho: the correlation of the ranks, equal values sharing theirs; NaN if one is
   * constant.
   */
  public static double spearman(double[] one, double[] other) {
    return pearson(ranks(one), ranks(other));
  }

  /** Pearson's r, of the values themselves; NaN if one is constant. */
  public static double pearson(double[] one, double[] other) {
    final double meanOne = Arrays.stream(one).average().orElse(Double.NaN);
    final double meanOther = Arrays.stream(other).average().orElse(Double.NaN);
    double both = 0;
    double ownOne = 0;
    double ownOther = 0;
    for (int i = 0; i < one.length; i++) {
      both += (one[i] - meanOne) * (other[i] - meanOther);
      ownOne += (one[i] - meanOne) * (one[i] - meanOne);
      ownOther += (other[i] - meanOther) * (other[i] - meanOther);
    }
    return ownOne > 0 && ownOther > 0 ? both / Math.sqrt(ownOne * ownOther) : Double.NaN;
  }

  private static double[] ranks(double[] values) {
    final Integer[] order = IntStream.range(0, values.length).boxed().toArray(Integer[]::new);
    Arrays.sort(order, Comparator.comparingDouble(i -> values[i]));
    final double[] ranks = new double[values.length];
    int from = 0;
    while (from < order.length) {
      int to = from;
      while (to < order.length && values[order[to]] == values[order[from]]) {
        to++;
      }
      for (int i = from; i < to; i++) {
        ranks[order[i]] = (from + to - 1) / 2.0;
      }
      from = to;
    }
    return ranks;
  }
}
