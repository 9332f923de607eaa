package dev.headway.toolbox.stats;

import java.util.Arrays;

/*
 * Exact up to a limit, then a histogram with 1,024 bins per power of two (HdrHistogram's layout), so
 * that a quantile is wrong by less than 0.1 %. Count, sum, least and largest are exact always.
 */
/** A distribution of whole numbers &gt;= 0, in at most about half a megabyte. */
public final class Distribution {

  private static final int EXACT_LIMIT = 1 << 15;
  private static final int SUB_BITS = 10;

  private final int exactLimit;
  private long[] values = new long[16];
  private int size;
  private boolean sorted = true;
  private long[] bins = new long[0];
  private long count;
  private double sum;
  private long min = Long.MAX_VALUE;
  private long max = Long.MIN_VALUE;

  /** One that keeps the first 32,768 values as they are. */
  public Distribution() {
    this(EXACT_LIMIT);
  }

  /** One that keeps the first {@code exactLimit} values as they are. */
  public Distribution(int exactLimit) {
    this.exactLimit = exactLimit;
  }

  /** Receives values. */
  @FunctionalInterface
  public interface BinConsumer {
    /** So many values at or near {@code value}. */
    void accept(long value, long count);
  }

  /** Adds a value; a negative one counts as 0. */
  public void add(long value) {
    final long sound = Math.max(0, value);
    count++;
    sum += sound;
    min = Math.min(min, sound);
    max = Math.max(max, sound);
    if (bins.length > 0) {
      addToBin(sound, 1);
    } else if (size < exactLimit) {
      if (size == values.length) {
        values = Arrays.copyOf(values, 2 * size);
      }
      sorted &= size == 0 || values[size - 1] <= sound;
      values[size++] = sound;
    } else {
      for (int i = 0; i < size; i++) {
        addToBin(values[i], 1);
      }
      values = new long[0];
      addToBin(sound, 1);
    }
  }

  /** Values added. */
  public long count() {
    return count;
  }

  /** Whether nothing was added. */
  public boolean isEmpty() {
    return count == 0;
  }

  /** Whether quantiles are exact. */
  public boolean isExact() {
    return bins.length == 0;
  }

  /** Sum of the values. */
  public double sum() {
    return sum;
  }

  /** Mean, NaN if there is none. */
  public double mean() {
    return count == 0 ? Double.NaN : sum / count;
  }

  /** The least value, 0 if there is none. */
  public long min() {
    return count == 0 ? 0 : min;
  }

  /** The largest value, 0 if there is none. */
  public long max() {
    return count == 0 ? 0 : max;
  }

  /** The {@link Quantile} of {@code share} in [0, 1]; NaN if there is none. */
  public double quantile(double share) {
    return Quantile.of(this::valueAt, count, share);
  }

  /** Share of the values that are at most {@code limit}, as exact as quantiles; NaN of none. */
  public double shareAtMost(double limit) {
    if (count == 0) {
      return Double.NaN;
    }
    final long[] within = new long[1];
    forEach((value, times) -> within[0] += (double) value <= limit ? times : 0);
    return (double) within[0] / count;
  }

  /** Visits every value, or every bin that is not empty, in ascending order. */
  public void forEach(BinConsumer consumer) {
    if (isExact()) {
      sort();
      for (int i = 0; i < size; i++) {
        consumer.accept(values[i], 1);
      }
      return;
    }
    for (int i = 0; i < bins.length; i++) {
      if (bins[i] > 0) {
        consumer.accept(Math.min(max, Math.max(min, middleOf(i))), bins[i]);
      }
    }
  }

  private double valueAt(long rank) {
    if (isExact()) {
      sort();
      return values[(int) rank];
    }
    if (rank <= 0) {
      return min;
    }
    if (rank >= count - 1) {
      return max;
    }
    long before = 0;
    for (int i = 0; i < bins.length; i++) {
      before += bins[i];
      if (before > rank) {
        return Math.min(max, Math.max(min, middleOf(i)));
      }
    }
    return max;
  }

  private void sort() {
    if (!sorted) {
      Arrays.sort(values, 0, size);
      sorted = true;
    }
  }

  private void addToBin(long value, long times) {
    final int bin = binOf(value);
    if (bin >= bins.length) {
      bins = Arrays.copyOf(bins, Math.max(bin + 1, bins.length + (1 << SUB_BITS)));
    }
    bins[bin] += times;
  }

  private static int binOf(long value) {
    final int shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(value) - SUB_BITS - 1);
    return (int) (((long) shift << SUB_BITS) + (value >>> shift));
  }

  private static long middleOf(int bin) {
    final int shift = Math.max(0, (bin >>> SUB_BITS) - 1);
    final long top = bin - ((long) shift << SUB_BITS);
    return (top << shift) + ((1L << shift) >>> 1);
  }
}
