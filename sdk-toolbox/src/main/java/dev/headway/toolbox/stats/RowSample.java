package dev.headway.toolbox.stats;

import java.util.Arrays;
import java.util.Comparator;
import java.util.SplittableRandom;

/** A uniform sample of rows of a stream (Vitter's algorithm R, with a fixed seed). */
public final class RowSample {

  private static final long SEED = 0x48_45_41_44_57_41_59L;

  private final int capacity;
  private final SplittableRandom random = new SplittableRandom(SEED);
  private double[][] rows = new double[256][];
  private long[] order = new long[256];
  private int size;
  private long seen;

  /** A sample of at most {@code capacity} rows. */
  public RowSample(int capacity) {
    this.capacity = capacity;
  }

  /** Offers a row. */
  public void add(double... row) {
    seen++;
    if (size < capacity) {
      if (size == rows.length) {
        rows = Arrays.copyOf(rows, Math.min(capacity, 2 * size));
        order = Arrays.copyOf(order, rows.length);
      }
      order[size] = seen;
      rows[size++] = row;
    } else {
      final long slot = random.nextLong(seen);
      if (slot < capacity) {
        rows[(int) slot] = row;
        order[(int) slot] = seen;
      }
    }
  }

  /** Rows offered. */
  public long seen() {
    return seen;
  }

  /** Rows kept. */
  public int size() {
    return size;
  }

  /** Whether every row was kept. */
  public boolean isWhole() {
    return seen == size;
  }

  /** The kept rows in the order in which they came. */
  public double[][] rows() {
    final Integer[] index = new Integer[size];
    Arrays.setAll(index, i -> i);
    Arrays.sort(index, Comparator.comparingLong(i -> order[i]));
    final double[][] sorted = new double[size][];
    for (int i = 0; i < size; i++) {
      sorted[i] = rows[index[i]];
    }
    return sorted;
  }
}
