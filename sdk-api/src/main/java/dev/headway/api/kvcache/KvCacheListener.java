package dev.headway.api.kvcache;

/**
 * Observes blocks added to the prefix cache, removed from it, and moved between tiers: a method per
 * event, which does nothing unless overridden. Engine thread, inside the step: must not block, and
 * must not keep an event after the call.
 */
public interface KvCacheListener {

  /** Blocks of a request became findable in one group. */
  default void onKvStored(KvBlocksStored event) {}

  /** A cached block is no longer findable. */
  default void onKvRemoved(KvBlockRemoved event) {}

  /** The prefix cache was cleared. */
  default void onKvCleared(KvCacheCleared event) {}

  /** Blocks move between tiers. */
  default void onKvTransfer(KvTransfer event) {}
}
