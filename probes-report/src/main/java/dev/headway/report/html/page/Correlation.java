package dev.headway.report.html.page;

import com.google.common.math.PairedStatsAccumulator;
import java.util.Arrays;
import java.util.Comparator;

/** How much two columns of a table go together. */
final class Correlation {

  private Correlation() {}

  /** Pearson's r; NaN if a column does not vary. */
  static double pearson(double[] x, double[] y) {
    final PairedStatsAccumulator stats = new PairedStatsAccumulator();
    for (int i = 0; i < x.length; i++) {
      stats.add(x[i], y[i]);
    }
    final boolean varies =
        x.length > 1
            && stats.xStats().populationVariance() > 0
            && stats.yStats().populationVariance() > 0;
    return varies ? stats.pearsonsCorrelationCoefficient() : Double.NaN;
  }

  /** Spearman's rho: Pearson's r of the ranks, equal values sharing their mean rank. */
  static double spearman(double[] x, double[] y) {
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
