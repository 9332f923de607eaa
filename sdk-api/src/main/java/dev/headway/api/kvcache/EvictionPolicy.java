package dev.headway.api.kvcache;

/**
 * Decides which contents a prefix cache gives up first. A block gets a priority when no request
 * holds it any more; a block that is needed is taken from those of the lowest, and of these the one
 * that was held longest ago. Blocks without content are taken before all of them.
 *
 * <p>{@link #LRU} is what caches do unless told otherwise. One that keeps what was hit twice behind
 * what was hit once:
 *
 * {@snippet :
 * EvictionPolicy segmented = block -> block.priority() + Math.min(2, block.hits());
 * }
 *
 * <p>Called on the engine's thread, within a step: it must not block and should allocate nothing.
 * If it throws, or answers outside of [0, 100], the cache goes on with {@link #LRU} for good, and
 * the next step fails with what happened.
 */
@FunctionalInterface
public interface EvictionPolicy {

  /** By the priority that requests asked for, and then least recently used first. */
  EvictionPolicy LRU = Block::priority;

  /**
   * Returns the priority of a block whose last request gives it back.
   *
   * @param block valid during the call only
   * @return in [0, 100]; the lowest is given up first
   */
  int priorityOf(Block block);

  /** A block with a content. A view, valid during the call. */
  interface Block {

    /** Its number. */
    int id();

    /**
     * The priority that the latest request asked for, see {@link
     * dev.headway.api.request.KvCacheRetention}.
     */
    int priority();

    /** How many requests have found its content so far, beside the one that computed it. */
    int hits();
  }
}
