package dev.headway.api.engine;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.time.NanoClock;

/** Input to {@link KvCacheFactory#create}. Everything in it lives as long as the engine. */
public interface KvCacheContext {

  /** The memory to manage, as the executor has it. */
  KvCacheShape shape();

  /** The engine's settings: limits, prefix caching, host tier, speculation. */
  SchedulerConfig config();

  /**
   * The listener to notify of blocks added to and removed from the prefix cache, on the engine
   * thread. It never throws.
   */
  KvCacheListener listener();

  /** The engine's clock. */
  NanoClock clock();
}
