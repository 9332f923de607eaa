package dev.headway.api.kvcache;

import dev.headway.api.request.RequestView;

/**
 * Operations on KV blocks that an executor must perform before a step runs. Filled by {@link
 * KvCacheManager#endStep}. Engine thread only.
 *
 * <p>All saves come first, since the other operations may overwrite the saved blocks. Then all
 * loads, all zeroing and all copies, since the target of a copy can be among the zeroed blocks;
 * copies are made in the order of the calls.
 */
public interface KvBlockWork {

  /** The content of block {@code source} is to be copied to block {@code target}. */
  void copy(int source, int target);

  /**
   * Block {@code block} may hold anything and is to be zeroed: a recurrent state shares its memory
   * and could leave NaNs. Called only if the cache has such a group.
   */
  void zero(int block);

  /**
   * Block {@code device} is about to get other content: its content is to be saved to host block
   * {@code host}. Called only if the cache has a host tier.
   */
  default void save(int device, int host) {
    throw noHostTier("save", device, host);
  }

  /**
   * The content of host block {@code host} is to be loaded to block {@code device}. Called only if
   * the cache has a host tier.
   *
   * @param request the first request that hit it
   */
  default void load(RequestView request, int host, int device) {
    throw noHostTier("load", device, host);
  }

  /**
   * Host block {@code host}, which a save of this step fills, was evicted: its old content is lost.
   */
  default void evicted(int host) {}

  private static UnsupportedOperationException noHostTier(String what, int device, int host) {
    return new UnsupportedOperationException(
        what
            + " needs an executor that moves blocks to and from host memory: device="
            + device
            + ", host="
            + host
            + "; set hostBlocks to 0 without one");
  }
}
