package dev.headway.api.kvcache;

/**
 * The KV blocks of one request: a block table for each group of layers. Made by {@link
 * KvCacheManager#open} and changed by that manager only. Engine thread only; reading allocates
 * nothing.
 *
 * <p>An entry 0 is the null block: tokens that the group's layers no longer attend to.
 */
public interface KvSequence {

  /** Number of block tables: one for each group of the cache. */
  int groupCount();

  /** Entries of a group's block table; in every group 0 until blocks are allocated. */
  int blockCount(int group);

  /** Returns the block of {@code group} at logical position {@code index} in [0, blockCount). */
  int blockId(int group, int index);

  /** Copies {@code length} block ids of {@code group}, from logical position {@code from} on. */
  default void copyBlockIds(int group, int from, int[] target, int offset, int length) {
    for (int i = 0; i < length; i++) {
      target[offset + i] = blockId(group, from + i);
    }
  }

  /**
   * Leading tokens that other requests can find in the prefix cache of every group, counted over
   * this request's own blocks only; 0 for a cache that finds no prefixes.
   */
  default int sharedPrefixTokens() {
    return 0;
  }

  /**
   * Content hash of the block of the first group that ends with token {@code tokens}, as {@link
   * KvBlocksStored#contentHash} names it, of a prefix that the latest lookup has found; 0 if the
   * cache does not say, or no block ends there.
   *
   * @param tokens as many as that lookup has found, or fewer; > 0
   */
  default long prefixHash(int tokens) {
    return 0;
  }

  /**
   * Tokens up to which {@link KvCacheManager#extend} has nothing to do for this sequence: for a
   * step that computes no token beyond, lookahead included, the call can be omitted. 0 if it is
   * needed in every step.
   */
  default int allocatedThrough() {
    return 0;
  }
}
