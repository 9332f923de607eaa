package dev.headway.kvcache.disk;

import java.util.concurrent.atomic.LongAdder;

/** What a tier has done. Any thread. */
final class DiskCounters {
  final LongAdder saved = new LongAdder();
  final LongAdder loaded = new LongAdder();
  final LongAdder evicted = new LongAdder();
  final LongAdder corrupt = new LongAdder();
  final LongAdder failedReads = new LongAdder();
  final LongAdder failedWrites = new LongAdder();
  final LongAdder skippedSaves = new LongAdder();
}
