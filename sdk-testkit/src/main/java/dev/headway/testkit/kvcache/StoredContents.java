package dev.headway.testkit.kvcache;

import dev.headway.api.kvcache.KvBlockRemoved;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheCleared;
import dev.headway.api.kvcache.KvCacheListener;
import java.util.HashMap;
import java.util.Map;

/** What a manager said it stored and removed. */
final class StoredContents implements KvCacheListener {

  /** How often each hash is stored, by group and hash. */
  private final Map<String, Integer> stored = new HashMap<>();

  private int events;

  /** Events so far. */
  int events() {
    return events;
  }

  @Override
  public void onKvStored(KvBlocksStored event) {
    events++;
    for (int i = 0; i < event.count(); i++) {
      stored.merge(key(event.group(), event.contentHash(i)), 1, Integer::sum);
    }
  }

  @Override
  public void onKvRemoved(KvBlockRemoved event) {
    events++;
    final String key = key(event.group(), event.contentHash());
    if (stored.merge(key, -1, Integer::sum) < 0) {
      throw new KvViolation(KvRule.EVENTS, "group and hash=" + key);
    }
  }

  @Override
  public void onKvCleared(KvCacheCleared event) {
    events++;
    stored.clear();
  }

  private static String key(int group, long hash) {
    return group + ":" + Long.toHexString(hash);
  }
}
