package dev.headway.kvcache;

import dev.headway.api.kvcache.KvCacheEvents;

/** What a {@link BlockPool} must know about the contents of its blocks. One thread. */
sealed interface BlockContents permits PrefixIndex, CachedBlocks {

  /** Whether {@code block} holds a content that a lookup can find. */
  boolean isCached(int block);

  /**
   * Reads what {@link #isCached} and {@link #evict} of these blocks will read, so that they wait
   * for memory side by side.
   *
   * @param blocks those from {@code from} to {@code to - 1}
   */
  void touch(int[] blocks, int from, int to);

  /** Forgets what {@code block} holds, and says so. The block must hold a content. */
  void evict(int block, KvCacheEvents events);
}
