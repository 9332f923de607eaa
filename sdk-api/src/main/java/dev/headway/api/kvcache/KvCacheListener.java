package dev.headway.api.kvcache;

/**
 * Observes what becomes findable in the prefix cache, what is lost, and what moves between tiers: a
 * method per event, which does nothing unless overridden. Engine thread, inside the step: must not
 * block, and must not keep an event after the call.
 */
public interface KvCacheListener {

  /** Blocks of a request became findable in one group. */
  default void onKvStored(KvBlocksStored event) {}

  /** A cached block is no longer findable. */
  default void onKvRemoved(KvBlockRemoved event) {}

  /** Everything cached was forgotten. */
  default void onKvCleared(KvCacheCleared event) {}

  /** Blocks move between tiers. */
  default void onKvTransfer(KvTransfer event) {}
}
