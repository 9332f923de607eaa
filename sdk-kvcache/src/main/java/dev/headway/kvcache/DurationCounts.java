package dev.headway.kvcache;

import dev.headway.api.kvcache.DurationHistogram;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** Durations being counted by one thread; others may read. Allocates nothing but snapshots. */
final class DurationCounts {

  private final AtomicLongArray counts = new AtomicLongArray(DurationHistogram.RANGES);
  private final AtomicLong sumNs = new AtomicLong();

  void add(long durationNs) {
    final int range = DurationHistogram.rangeOf(durationNs);
    counts.lazySet(range, counts.get(range) + 1);
    sumNs.lazySet(sumNs.get() + durationNs);
  }

  /** Any thread. */
  DurationHistogram snapshot() {
    final long[] copy = new long[DurationHistogram.RANGES];
    for (int range = 0; range < copy.length; range++) {
      copy[range] = counts.get(range);
    }
    return new DurationHistogram(copy, sumNs.get());
  }
}
