package dev.headway.scheduler.engine;

import dev.headway.api.kvcache.KvCacheManager;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counters of an engine. Submissions from any thread; the rest is written by the engine thread. */
final class EngineCounters {

  final LongAdder submitted = new LongAdder();
  final LongAdder rejected = new LongAdder();
  final AtomicLong finished = new AtomicLong();
  final AtomicLong waiting = new AtomicLong();
  final AtomicLong running = new AtomicLong();
  final AtomicLong steps = new AtomicLong();
  final AtomicLong stepsFailed = new AtomicLong();
  final AtomicLong listenersFailed = new AtomicLong();

  final KvCacheGauges kvCache;

  EngineCounters(KvCacheManager kv) {
    kvCache = new KvCacheGauges(kv);
  }

  /** Publishes a counter without a fence on the engine thread. */
  static void publish(AtomicLong counter, long value) {
    counter.lazySet(value);
  }
}
