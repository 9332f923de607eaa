package dev.headway.toolbox.chart;

import dev.headway.toolbox.stats.Distribution;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;

/**
 * Counts of a distribution: bins by Freedman and Diaconis, 10 to 100 of them, up to the 99.9th
 * percentile; what is beyond is in one more bin.
 */
public final class Histogram {

  private static final int FEWEST = 10;
  private static final int MOST = 100;
  private static final double OVERFLOW = 0.999;

  private final double low;
  private final double width;
  private final long[] counts;
  private long overflow;

  private Histogram(double low, double width, int bins) {
    this.low = low;
    this.width = width;
    this.counts = new long[bins];
  }

  /** Bins of {@code all}. */
  public static Histogram binsOf(Distribution all) {
    final double low = all.min();
    final double high = Math.max(all.quantile(OVERFLOW), low + 1);
    final double spread = all.quantile(0.75) - all.quantile(0.25);
    final double ideal = 2 * spread / Math.cbrt((double) Math.max(1, all.count()));
    final double wanted = ideal <= 0 ? MOST : Math.ceil((high - low) / ideal);
    int bins = (int) Math.max(FEWEST, Math.min(MOST, wanted));
    if (high - low < bins) {
      bins = (int) Math.max(1, Math.ceil(high - low)); // whole numbers need no narrower bins
    }
    return new Histogram(low, (high - low) / bins, bins);
  }

  /** The same bins with the counts of one distribution. */
  public Histogram fill(Distribution values) {
    final Histogram filled = new Histogram(low, width, counts.length);
    values.forEach(
        (value, count) -> {
          final int bin = (int) Math.floor((value - low) / width);
          if (bin > counts.length || value > filled.high()) {
            filled.overflow += count;
          } else {
            filled.counts[Math.max(0, Math.min(counts.length - 1, bin))] += count;
          }
        });
    return filled;
  }

  /** How many bins. */
  public int bins() {
    return counts.length;
  }

  /** Where a bin begins. */
  public double startOf(int bin) {
    return low + bin * width;
  }

  /** Where the last bin ends. */
  public double high() {
    return low + counts.length * width;
  }

  /** Width of a bin. */
  public double width() {
    return width;
  }

  /** Values in a bin. */
  public long count(int bin) {
    return counts[bin];
  }

  /** Values beyond the last bin. */
  public long overflow() {
    return overflow;
  }

  /** The most values in a bin, that beyond the last included. */
  public long most() {
    long most = overflow;
    for (long count : counts) {
      most = Math.max(most, count);
    }
    return most;
  }

  /** At most {@code rows} groups of neighbouring bins, each as its first and its end. */
  public List<int[]> groups(int rows) {
    final List<int[]> groups = new ArrayList<>();
    final int per = (counts.length + rows - 1) / rows;
    for (int from = 0; from < counts.length; from += per) {
      groups.add(new int[] {from, Math.min(counts.length, from + per)});
    }
    return groups;
  }

  /**
   * Rows of a table: from, to, how many.
   *
   * @param most rows, those beyond the histogram not counted
   * @param text of a value
   * @param largest text of the largest value
   */
  public List<List<String>> rows(int most, DoubleFunction<String> text, String largest) {
    final List<List<String>> rows = new ArrayList<>();
    for (int[] group : groups(most)) {
      long count = 0;
      for (int bin = group[0]; bin < group[1]; bin++) {
        count += count(bin);
      }
      rows.add(
          List.of(
              text.apply(startOf(group[0])), text.apply(startOf(group[1])), Human.count(count)));
    }
    if (overflow() > 0) {
      rows.add(List.of(text.apply(high()), largest, Human.count(overflow())));
    }
    return rows;
  }
}
