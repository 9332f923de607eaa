package dev.headway.toolbox.stats;

import java.util.Arrays;

/**
 * Least, largest and mean of several columns over equal buckets of x, whose range is not known
 * beforehand: when x is beyond the last bucket, neighbours are folded into one and buckets become
 * twice as wide.
 */
public final class FoldingTable {

  private final int buckets;
  private final double[][] sums;
  private final long[][] mins;
  private final long[][] maxs;
  private final int[][] counts;
  private long width;
  private long largestX;

  /**
   * A table of columns over {@code buckets}, an even number, of {@code width} each to start with.
   */
  public FoldingTable(int columns, int buckets, long width) {
    this.buckets = buckets;
    this.width = width;
    this.sums = new double[columns][buckets];
    this.mins = new long[columns][buckets];
    this.maxs = new long[columns][buckets];
    this.counts = new int[columns][buckets];
  }

  /** Adds a value of a column at {@code x}; one below 0 is put at 0. */
  public void add(int column, long x, long value) {
    final int bucket = bucketOf(x);
    final int count = counts[column][bucket]++;
    sums[column][bucket] += value;
    mins[column][bucket] = count == 0 ? value : Math.min(mins[column][bucket], value);
    maxs[column][bucket] = count == 0 ? value : Math.max(maxs[column][bucket], value);
  }

  /** Width of a bucket. */
  public long width() {
    return width;
  }

  /** Buckets up to the largest x. */
  public int used() {
    return (int) (largestX / width) + 1;
  }

  /** Where a bucket begins. */
  public long startOf(int bucket) {
    return bucket * width;
  }

  /** Values in a bucket. */
  public int count(int column, int bucket) {
    return counts[column][bucket];
  }

  /** Their sum. */
  public double sum(int column, int bucket) {
    return sums[column][bucket];
  }

  /** Their mean, NaN if there are none. */
  public double mean(int column, int bucket) {
    return sums[column][bucket] / counts[column][bucket];
  }

  /** The least. */
  public long min(int column, int bucket) {
    return mins[column][bucket];
  }

  /** The largest. */
  public long max(int column, int bucket) {
    return maxs[column][bucket];
  }

  private int bucketOf(long x) {
    final long sound = Math.max(0, x);
    while (sound / width >= buckets) {
      fold();
    }
    largestX = Math.max(largestX, sound);
    return (int) (sound / width);
  }

  private void fold() {
    width *= 2;
    for (int column = 0; column < sums.length; column++) {
      for (int bucket = 0; bucket < buckets / 2; bucket++) {
        merge(column, bucket);
      }
      Arrays.fill(sums[column], buckets / 2, buckets, 0);
      Arrays.fill(counts[column], buckets / 2, buckets, 0);
    }
  }

  private void merge(int column, int to) {
    final int a = 2 * to;
    final int b = a + 1;
    final int[] count = counts[column];
    final long[] min = mins[column];
    final long[] max = maxs[column];
    sums[column][to] = sums[column][a] + sums[column][b];
    if (count[a] == 0 || count[b] == 0) {
      final int only = count[a] == 0 ? b : a;
      min[to] = min[only];
      max[to] = max[only];
    } else {
      min[to] = Math.min(min[a], min[b]);
      max[to] = Math.max(max[a], max[b]);
    }
    count[to] = count[a] + count[b];
  }
}
