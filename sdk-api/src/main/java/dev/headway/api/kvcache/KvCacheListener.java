package dev.headway.api.kvcache;

import dev.headway.api.request.RequestView;

/**
 * Hears what becomes findable in the prefix cache and what is lost. Engine thread, inside the step:
 * must not block.
 */
public interface KvCacheListener {

  /** Blocks of {@code request} became findable in one group. */
  default void onKvStored(RequestView request, KvBlocksStored blocks) {}

  /** A cached block of {@code group} was taken for other content. */
  default void onKvRemoved(long contentHash, int group) {}

  /** Everything cached was forgotten. */
  default void onKvCleared() {}

  /** Blocks move between tiers, at {@code nowNs}. */
  default void onKvTransfer(KvTransfer transfer, long nowNs) {}
}
