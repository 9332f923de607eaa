package dev.headway.probes.dashboard.state;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.toolbox.stats.Quantile;
import java.util.Arrays;

/** Counts of durations in bins that are 3 % wide: 32 per power of two. One thread. */
final class LogHistogram {

  private static final int BITS = 5;
  private static final int PER_POWER = 1 << BITS;
  private static final int LARGEST_POWER = 45; // ten hours
  private static final int BINS = (LARGEST_POWER - BITS + 2) * PER_POWER;

  private final int[] counts = new int[BINS];
  private int total;

  void add(long ns) {
    counts[binOf(ns)]++;
    total++;
  }

  void addAll(LogHistogram other) {
    for (int bin = 0; bin < BINS; bin++) {
      counts[bin] += other.counts[bin];
    }
    total += other.total;
  }

  void clear() {
    if (total > 0) {
      Arrays.fill(counts, 0);
      total = 0;
    }
  }

  int total() {
    return total;
  }

  /** The {@link Quantile} of the middles of the bins, in ns; absent if it is empty. */
  long quantile(double share) {
    return total == 0 ? ABSENT : Math.round(Quantile.of(this::atRank, total, share));
  }

  private double atRank(long rank) {
    long passed = 0;
    int bin = -1;
    while (passed <= rank) {
      bin++;
      passed += counts[bin];
    }
    return middleOf(bin);
  }

  private static int binOf(long ns) {
    final long value = Math.min(Math.max(0, ns), (1L << (LARGEST_POWER + 1)) - 1);
    if (value < PER_POWER) {
      return (int) value;
    }
    final int power = 63 - Long.numberOfLeadingZeros(value);
    final int within = (int) (value >> (power - BITS)) - PER_POWER;
    return (power - BITS + 1) * PER_POWER + within;
  }

  private static long middleOf(int bin) {
    if (bin < PER_POWER) {
      return bin;
    }
    final int shift = bin / PER_POWER - 1;
    final long low = (long) (PER_POWER + bin % PER_POWER) << shift;
    return low + (1L << shift) / 2;
  }
}
