package dev.headway.scheduler.engine;

import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheStats;
import java.util.concurrent.atomic.AtomicLong;

/** Occupancy of the KV cache, published by the engine thread for any thread. */
final class KvCacheGauges {

  private final KvCacheManager kv;
  private final AtomicLong free = new AtomicLong();
  private final AtomicLong quarantined = new AtomicLong();

  KvCacheGauges(KvCacheManager kv) {
    this.kv = kv;
    publish();
  }

  /** Publishes the current figures. Engine thread. */
  void publish() {
    EngineCounters.publish(free, kv.freeBlocks());
    EngineCounters.publish(quarantined, kv.quarantinedBlocks());
  }

  /** Returns the figures published last. Any thread. */
  KvCacheStats snapshot() {
    return KvCacheStats.builder()
        .usableBlocks(kv.shape().usableBlocks())
        .freeBlocks(free.get())
        .quarantinedBlocks(quarantined.get())
        .build();
  }
}
