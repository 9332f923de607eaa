package dev.headway.simulation.compare;

import dev.headway.toolbox.stats.Quantile;
import java.util.Arrays;

/**
 * Times between the tokens of one request, counted in bins of less than 0.8 % width: a request has
 * many tokens but few different gaps.
 */
final class GapBins {

  private static final int SUB_BITS = 7;
  private static final int SUB_BINS = 1 << SUB_BITS;

  /** One more than the largest bin. */
  static final int BINS = (64 - SUB_BITS) * SUB_BINS;

  private int[] bins = new int[8];
  private int[] counts = new int[8];
  private int size;
  private long total;

  void add(long gapNs) {
    total++;
    final int bin = binOf(gapNs);
    int at = size;
    while (at > 0 && bins[at - 1] >= bin) {
      at--;
    }
    if (at < size && bins[at] == bin) {
      counts[at]++;
    } else {
      insert(at, bin);
    }
  }

  private void insert(int at, int bin) {
    if (size == bins.length) {
      bins = Arrays.copyOf(bins, 2 * size);
      counts = Arrays.copyOf(counts, 2 * size);
    }
    System.arraycopy(bins, at, bins, at + 1, size - at);
    System.arraycopy(counts, at, counts, at + 1, size - at);
    bins[at] = bin;
    counts[at] = 1;
    size++;
  }

  /**
   * Adds counts, {@code weight} times, to {@code totals}, which has {@link #BINS} places.
   *
   * @param from the smallest bin that is wanted
   */
  void addTo(long[] totals, int weight, int from) {
    for (int i = size - 1; i >= 0 && bins[i] >= from; i--) {
      totals[bins[i]] += (long) weight * counts[i];
    }
  }

  /** How many gaps there are. */
  long count() {
    return total;
  }

  /** Bins of [2^e, 2^(e+1)) are 2^(e-7) wide; those below 128 ns have one value each. */
  static int binOf(long ns) {
    if (ns < SUB_BINS) {
      return (int) Math.max(0, ns);
    }
    final int shift = 63 - Long.numberOfLeadingZeros(ns) - SUB_BITS;
    return (shift + 1) * SUB_BINS + (int) (ns >>> shift) - SUB_BINS;
  }

  /** The largest value of a bin, in nanoseconds. */
  static long largestNs(int bin) {
    if (bin < SUB_BINS) {
      return bin;
    }
    final int shift = bin / SUB_BINS - 1;
    return ((long) (bin % SUB_BINS + SUB_BINS + 1) << shift) - 1;
  }

  /**
   * The percentile of binned values, a {@link Quantile} of the largest values of their bins.
   *
   * @param totals counts by bin; those of the smallest bins may be missing
   * @param total how many values there are, missing ones included
   * @return NaN of no values, and if the percentile is among the missing ones
   */
  static double percentile(long[] totals, long total, double percent) {
    return Quantile.of(rank -> atRank(totals, total - 1 - rank), total, percent / 100);
  }

  /** The value that {@code above} values follow in ascending order. */
  private static double atRank(long[] totals, long above) {
    long left = above;
    int bin = BINS - 1;
    while (bin >= 0 && totals[bin] <= left) {
      left -= totals[bin];
      bin--;
    }
    return bin < 0 ? Double.NaN : largestNs(bin);
  }
}
