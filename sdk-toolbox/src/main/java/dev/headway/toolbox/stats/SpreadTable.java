package dev.headway.toolbox.stats;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How much of each of several columns falls on equal buckets of time. Amounts are spread evenly
 * over their interval; buckets fold as in {@link FoldingTable}, columns appear when they are used.
 */
public final class SpreadTable {

  private final int buckets;
  private final List<double[]> columns = new ArrayList<>();
  private long width;
  private long largestX;

  /** A table over {@code buckets}, an even number, of {@code width} each to start with. */
  public SpreadTable(int buckets, long width) {
    this.buckets = buckets;
    this.width = width;
  }

  /** Adds {@code weight} for every unit of x in [from, to). */
  public void add(int column, long from, long to, double weight) {
    final long start = Math.max(0, from);
    if (to <= start) {
      return;
    }
    while ((to - 1) / width >= buckets) {
      fold();
    }
    largestX = Math.max(largestX, to - 1);
    while (columns.size() <= column) {
      columns.add(new double[buckets]);
    }
    final double[] amounts = columns.get(column);
    for (int bucket = (int) (start / width); bucket * width < to; bucket++) {
      final long inBucket = Math.min(to, (bucket + 1L) * width) - Math.max(start, bucket * width);
      amounts[bucket] += inBucket * weight;
    }
  }

  /** Width of a bucket. */
  public long width() {
    return width;
  }

  /** Buckets up to the largest x. */
  public int used() {
    return (int) (largestX / width) + 1;
  }

  /** Columns that hold something, and all before them. */
  public int columns() {
    return columns.size();
  }

  /** The mean weight over a bucket. */
  public double mean(int column, int bucket) {
    return columns.get(column)[bucket] / width;
  }

  private void fold() {
    width *= 2;
    for (double[] amounts : columns) {
      for (int bucket = 0; bucket < buckets / 2; bucket++) {
        amounts[bucket] = amounts[2 * bucket] + amounts[2 * bucket + 1];
      }
      Arrays.fill(amounts, buckets / 2, buckets, 0);
    }
  }
}
