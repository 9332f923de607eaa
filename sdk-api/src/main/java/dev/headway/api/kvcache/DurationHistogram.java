package dev.headway.api.kvcache;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * How many durations fell into which range, and their sum. Ranges end at 1 ms, 2 ms, 5 ms and so on
 * up to half an hour, as those of vLLM's metrics of KV blocks; an end is part of its range, and the
 * last has none. Immutable; any thread.
 */
public final class DurationHistogram {

  private static final long[] ENDS_MS = {
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000,
    120_000, 300_000, 600_000, 1_200_000, 1_800_000
  };

  /** Ranges. */
  public static final int RANGES = ENDS_MS.length + 1;

  /** No durations. */
  public static final DurationHistogram EMPTY = new DurationHistogram(new long[RANGES], 0);

  private final long[] counts;
  private final long sumNs;

  /**
   * Makes a histogram.
   *
   * @param counts durations in each range; copied
   * @param sumNs of all durations
   * @throws IllegalArgumentException if there are not {@link #RANGES}
   */
  public DurationHistogram(long[] counts, long sumNs) {
    if (counts.length != RANGES) {
      throw new IllegalArgumentException(
          "a histogram must have RANGES counts: counts=" + counts.length + ", RANGES=" + RANGES);
    }
    this.counts = counts.clone();
    this.sumNs = sumNs;
  }

  /** The range that a duration falls into, in [0, {@link #RANGES}). */
  public static int rangeOf(long durationNs) {
    int range = 0;
    while (range < ENDS_MS.length && durationNs > endNs(range)) {
      range++;
    }
    return range;
  }

  /** The longest duration of a range but the last, in nanoseconds. */
  public static long endNs(int range) {
    return TimeUnit.MILLISECONDS.toNanos(ENDS_MS[range]);
  }

  /** Durations in a range. */
  public long count(int range) {
    return counts[range];
  }

  /** All durations. */
  public long total() {
    return Arrays.stream(counts).sum();
  }

  /** Their sum, in nanoseconds. */
  public long sumNs() {
    return sumNs;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DurationHistogram that
        && sumNs == that.sumNs
        && Arrays.equals(counts, that.counts);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(counts) + Long.hashCode(sumNs);
  }

  @Override
  public String toString() {
    return "DurationHistogram[total=" + total() + ", sumNs=" + sumNs + "]";
  }
}
