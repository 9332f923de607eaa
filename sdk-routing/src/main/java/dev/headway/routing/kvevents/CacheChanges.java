package dev.headway.routing.kvevents;

import dev.headway.routing.kvevents.CacheChange.Cleared;
import dev.headway.routing.kvevents.CacheChange.Removed;
import dev.headway.routing.kvevents.CacheChange.Stored;
import dev.headway.routing.kvevents.codec.KvBlockHash;
import dev.headway.routing.kvevents.codec.KvEvent;
import dev.headway.routing.kvevents.codec.KvExtraKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes an engine's changes the events that others understand. One thread, the publisher's.
 *
 * <p>An engine may hold equal blocks more than once; others do not count, so that a block is said
 * to be removed when its last copy is. A request that has blocks reported again when they are found
 * adds no copies: too few are safe, since a router then knows less than there is. As many names are
 * kept as the engine has blocks.
 */
final class CacheChanges {

  private final @Nullable BlockNames names;
  private final Map<Key, Known> known = new HashMap<>();

  CacheChanges(@Nullable BlockNames names) {
    this.names = names;
  }

  List<KvEvent> events(List<CacheChange> changes) {
    final List<KvEvent> events = new ArrayList<>(changes.size());
    for (CacheChange change : changes) {
      switch (change) {
        case Stored stored -> add(events, stored);
        case Removed removed -> add(events, removed);
        case Cleared cleared -> {
          known.clear();
          events.add(new KvEvent.AllBlocksCleared());
        }
      }
    }
    return events;
  }

  private void add(List<KvEvent> events, Stored stored) {
    final KvBlockHash parent = stored.isFirst() ? null : parentName(stored);
    if (parent == null && !stored.isFirst()) {
      return; // what is in front of these is not known
    }
    final List<KvBlockHash> hashes = new ArrayList<>(stored.hashes().length);
    KvBlockHash before = parent;
    for (int i = 0; i < stored.hashes().length; i++) {
      final KvBlockHash name = name(stored, i, before);
      known.merge(
          new Key(stored.group(), stored.hashes()[i]),
          new Known(name, 1),
          stored.mayRepeat() ? (copies, again) -> copies : Known::andOneMore);
      hashes.add(name);
      before = name;
    }
    events.add(
        new KvEvent.BlockStored(
            hashes,
            parent,
            stored.tokens(),
            stored.blockSize(),
            stored.adapter() == null ? null : stored.adapterId(),
            KvEvent.GPU,
            stored.adapter(),
            extraKeys(stored),
            stored.group(),
            KvEvent.FULL_ATTENTION,
            null));
  }

  private @Nullable KvBlockHash parentName(Stored stored) {
    if (names == null) {
      return KvBlockHash.ofLong(stored.parent());
    }
    final Known parent = known.get(new Key(stored.group(), stored.parent()));
    return parent == null ? null : parent.name;
  }

  private KvBlockHash name(Stored stored, int block, @Nullable KvBlockHash before) {
    return names == null
        ? KvBlockHash.ofLong(stored.hashes()[block])
        : names.name(
            before,
            stored.tokens(),
            block * stored.blockSize(),
            stored.blockSize(),
            stored.adapter(),
            before == null ? stored.salt() : null);
  }

  private static @Nullable KvExtraKeys extraKeys(Stored stored) {
    final String salt = stored.isFirst() ? stored.salt() : null;
    if (stored.adapter() == null && salt == null) {
      return null;
    }
    final List<@Nullable List<String>> ofBlocks = new ArrayList<>();
    for (int i = 0; i < stored.hashes().length; i++) {
      final List<String> keys = new ArrayList<>(2);
      if (stored.adapter() != null) {
        keys.add(stored.adapter());
      }
      if (salt != null && i == 0) {
        keys.add(salt);
      }
      ofBlocks.add(keys.isEmpty() ? null : keys);
    }
    return new KvExtraKeys(ofBlocks);
  }

  private void add(List<KvEvent> events, Removed removed) {
    final Key key = new Key(removed.group(), removed.hash());
    final Known block = known.get(key);
    if (block == null) {
      return; // of a group that is not published, or from before the last clearing
    }
    if (block.copies > 1) {
      known.put(key, new Known(block.name, block.copies - 1));
      return;
    }
    known.remove(key);
    events.add(new KvEvent.BlockRemoved(List.of(block.name), KvEvent.GPU, removed.group()));
  }

  private record Key(int group, long hash) {}

  private record Known(KvBlockHash name, int copies) {
    Known andOneMore(Known other) {
      return new Known(name, copies + other.copies);
    }
  }
}
