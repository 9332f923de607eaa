package dev.headway.api.kvcache;

import dev.headway.api.request.RequestView;

/**
 * Hears what becomes findable in the prefix cache and what is lost. Engine thread, inside the step:
 * must not block.
 */
public interface KvCacheListener {

  /** Full blocks of {@code request} became findable. */
  default void onKvStored(RequestView request, KvBlocksStored blocks) {}

  /** A cached block was taken for other content. */
  default void onKvRemoved(long contentHash) {}

  /** Everything cached was forgotten. */
  default void onKvCleared() {}
}
