package dev.headway.api.kvcache;

/**
 * The KV blocks of one request: its block table. Made by {@link KvCacheManager#open} and changed by
 * that manager only. Engine thread only; reading allocates nothing.
 */
public interface KvSequence {

  /** Entries of the block table. */
  int blockCount();

  /** Leading blocks that other requests can find in the prefix cache. */
  int cachedBlockCount();

  /** Returns the block at logical position {@code index} in [0, blockCount). */
  int blockId(int index);

  /** Copies {@code length} block ids, from logical position {@code from} on. */
  void copyBlockIds(int from, int[] target, int offset, int length);
}
