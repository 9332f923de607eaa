package dev.headway.api.engine;

import dev.headway.api.kvcache.KvCacheManager;

/**
 * Makes the KV cache manager of an engine.
 *
 * {@snippet :
 * HeadwayEngine.builder(executor).kvCache(MyKvCache::new).build();
 * }
 */
@FunctionalInterface
public interface KvCacheFactory {

  /**
   * Makes a cache manager; called once by the engine's builder, on its thread.
   *
   * @return a new manager of {@code context.shape()}, used by this engine only
   */
  KvCacheManager create(KvCacheContext context);
}
