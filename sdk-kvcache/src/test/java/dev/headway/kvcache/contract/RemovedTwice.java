package dev.headway.kvcache.contract;

import dev.headway.api.kvcache.KvBlockRemoved;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheCleared;
import dev.headway.api.kvcache.KvCacheListener;

/** Notifies another listener of every removal twice. */
record RemovedTwice(KvCacheListener listener) implements KvCacheListener {

  @Override
  public void onKvStored(KvBlocksStored event) {
    listener.onKvStored(event);
  }

  @Override
  public void onKvRemoved(KvBlockRemoved event) {
    listener.onKvRemoved(event);
    listener.onKvRemoved(event);
  }

  @Override
  public void onKvCleared(KvCacheCleared event) {
    listener.onKvCleared(event);
  }
}
