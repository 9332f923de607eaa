package dev.headway.api.kvcache;

/**
 * What an executor must do to KV blocks before a step runs. Filled by {@link
 * KvCacheManager#endStep}. Engine thread only.
 *
 * <p>All zeroing comes before all copying, since the target of a copy can be among the zeroed
 * blocks; copies are made in the order in which they are told.
 */
public interface KvBlockWork {

  /** The content of block {@code source} is to be copied to block {@code target}. */
  void copy(int source, int target);

  /**
   * Block {@code block} may hold anything and is to be zeroed: a recurrent state shares its memory
   * and could leave values that are no numbers. Asked only if the cache has such a group.
   */
  void zero(int block);
}
