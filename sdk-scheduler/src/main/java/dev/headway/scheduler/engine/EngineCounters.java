package dev.headway.scheduler.engine;

import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheStats;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of an engine and gauges of its KV cache. Submissions are counted by any thread, the rest
 * by the engine thread; any thread reads.
 */
final class EngineCounters {

  final LongAdder submitted = new LongAdder();
  final LongAdder rejected = new LongAdder();
  final AtomicLong finished = new AtomicLong();
  final AtomicLong waiting = new AtomicLong();
  final AtomicLong running = new AtomicLong();
  final AtomicLong steps = new AtomicLong();
  final AtomicLong stepsFailed = new AtomicLong();
  final AtomicLong listenersFailed = new AtomicLong();

  private final KvCacheManager kv;
  private final AtomicLong freeBlocks = new AtomicLong();
  private final AtomicLong quarantinedBlocks = new AtomicLong();

  EngineCounters(KvCacheManager kv) {
    this.kv = kv;
    publishBlocks();
  }

  /** Publishes the occupancy of the KV cache. Engine thread. */
  void publishBlocks() {
    publish(freeBlocks, kv.freeBlocks());
    publish(quarantinedBlocks, kv.quarantinedBlocks());
  }

  /** Returns the occupancy published last. */
  KvCacheStats kvCache() {
    return KvCacheStats.builder()
        .usableBlocks(kv.shape().usableBlocks())
        .freeBlocks(freeBlocks.get())
        .quarantinedBlocks(quarantinedBlocks.get())
        .residency(kv.residency())
        .build();
  }

  /** Publishes a counter without a fence on the engine thread. */
  static void publish(AtomicLong counter, long value) {
    counter.lazySet(value);
  }
}
