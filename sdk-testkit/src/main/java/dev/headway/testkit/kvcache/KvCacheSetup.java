package dev.headway.testkit.kvcache;

import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.kvcache.KvCacheShape;

/** What {@link KvCacheContract} asks a manager to be made for. */
public interface KvCacheSetup {

  /** Size of the cache, with the groups of {@link KvCacheContract#groups()}. */
  KvCacheShape shape();

  /** Longest sequence, in tokens: no demand goes beyond it. */
  int maxModelLen();

  /** Most tokens scheduled and not yet processed. */
  int maxInFlightTokens();

  /** Wants to be notified of what is stored and removed. */
  KvCacheListener listener();
}
