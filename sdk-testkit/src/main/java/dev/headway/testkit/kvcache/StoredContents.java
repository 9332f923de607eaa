package dev.headway.testkit.kvcache;

import dev.headway.api.kvcache.KvBlockRemoved;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheCleared;
import dev.headway.api.kvcache.KvCacheListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a manager said it stored and removed. */
final class StoredContents implements KvCacheListener {

  /** How often each hash is stored, by group and hash. */
  private final Map<String, Integer> stored = new HashMap<>();

  /** What was stored of full blocks of the first group, and not removed, by hash. */
  private final Map<Long, Content> contents = new LinkedHashMap<>();

  private int events;

  /** A block of a text: its hash, the hash in front of it, and the first token of it. */
  record Content(long hash, @Nullable Long parent, int firstTokenId) {}

  /** What is stored of a text, from its first token on; each text counts its tokens up. */
  List<Content> ofText(int firstTokenId) {
    final List<Content> found = new ArrayList<>();
    Long parent = null;
    int next = firstTokenId;
    for (boolean more = true; more; ) {
      more = false;
      for (Content content : contents.values()) {
        if (content.firstTokenId == next && Objects.equals(content.parent, parent)) {
          found.add(content);
          parent = content.hash;
          next += blockSize;
          more = true;
          break;
        }
      }
    }
    return found;
  }

  private int blockSize;

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
    if (event.group() == 0) {
      remember(event);
    }
  }

  private void remember(KvBlocksStored event) {
    blockSize = event.blockSize();
    Long parent = event.hasParent() ? event.parentContentHash() : null;
    for (int i = 0; i < event.count(); i++) {
      final long hash = event.contentHash(i);
      contents.put(hash, new Content(hash, parent, event.request().tokenId(event.firstToken(i))));
      parent = hash;
    }
  }

  @Override
  public void onKvRemoved(KvBlockRemoved event) {
    events++;
    final String key = key(event.group(), event.contentHash());
    if (event.group() == 0 && stored.getOrDefault(key, 0) == 1) {
      contents.remove(event.contentHash());
    }
    if (stored.merge(key, -1, Integer::sum) < 0) {
      throw new KvViolation(KvRule.EVENTS, "group and hash=" + key);
    }
  }

  @Override
  public void onKvCleared(KvCacheCleared event) {
    events++;
    stored.clear();
    contents.clear();
  }

  private static String key(int group, long hash) {
    return group + ":" + Long.toHexString(hash);
  }
}
