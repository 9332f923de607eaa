package dev.headway.kvcache;

import dev.headway.api.kvcache.KvCacheEvents;

/** What a {@link BlockPool} must know about the contents of its blocks. One thread. */
sealed interface BlockContents permits PrefixIndex, CachedBlocks {

  /** Whether {@code block} holds a content that a lookup can find. */
  boolean isCached(int block);

  /** Forgets what {@code block} holds, and says so. The block must hold a content. */
  void evict(int block, KvCacheEvents events);
}
