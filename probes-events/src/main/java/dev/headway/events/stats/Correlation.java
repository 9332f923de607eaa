package dev.headway.events.stats;

import java.util.Arrays;
import java.util.Comparator;

/** How two columns go together. Stateless. */
public final class Correlation {

  private Correlation() {}

  /** Pearson's r; NaN if a column does not vary. */
  public static double pearson(double[] x, double[] y) {
    final double meanX = Arrays.stream(x).average().orElse(0);
    final double meanY = Arrays.stream(y).average().orElse(0);
    double xx = 0;
    double yy = 0;
    double xy = 0;
    for (int i = 0; i < x.length; i++) {
      final double dx = x[i] - meanX;
      final double dy = y[i] - meanY;
      xx += dx * dx;
      yy += dy * dy;
      xy += dx * dy;
    }
    return xx == 0 || yy == 0 ? Double.NaN : xy / Math.sqrt(xx * yy);
  }

  /** Spearman's rho: Pearson's r of the ranks, equal values sharing their mean rank. */
  public static double spearman(double[] x, double[] y) {
    return pearson(ranks(x), ranks(y));
  }

  private static double[] ranks(double[] values) {
    final Integer[] index = new Integer[values.length];
    Arrays.setAll(index, i -> i);
    Arrays.sort(index, Comparator.comparingDouble(i -> values[i]));
    final double[] ranks = new double[values.length];
    for (int from = 0; from < index.length; ) {
      int to = from;
      while (to < index.length && values[index[to]] == values[index[from]]) {
        to++;
      }
      for (int i = from; i < to; i++) {
        ranks[index[i]] = (from + to - 1) / 2.0;
      }
      from = to;
    }
    return ranks;
  }
}
