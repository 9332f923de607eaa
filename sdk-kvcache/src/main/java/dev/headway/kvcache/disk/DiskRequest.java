package dev.headway.kvcache.disk;

import dev.headway.api.request.RequestView;
import dev.headway.kvcache.wire.VllmBlockHasher;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a tier knows of a live request. Engine thread only. */
final class DiskRequest {

  private final BlockIndex index;
  private final List<BlockIndex.Entry> pinned = new ArrayList<>();
  private @Nullable BlockNameChain names;

  /** Whether what it was admitted with last is a load, and not a step. */
  boolean isLoading;

  /** Its latest load; it may be over. */
  @Nullable DiskLoad load;

  DiskRequest(BlockIndex index) {
    this.index = index;
  }

  /** The names of its blocks. Those of a session are made anew: a turn may take a token back. */
  BlockNameChain names(VllmBlockHasher hasher, RequestView request) {
    BlockNameChain made = names;
    if (made == null || request.request().isResumable()) {
      made = new BlockNameChain(hasher, request);
      names = made;
    }
    return made;
  }

  /** Pins a block; returns whether it is there. */
  boolean pin(String name) {
    final BlockIndex.Entry entry = index.pin(name);
    if (entry == null) {
      return false;
    }
    pinned.add(entry);
    return true;
  }

  int pinned() {
    return pinned.size();
  }

  /** Hands over the first {@code count} pinned blocks with their pins, and unpins the others. */
  List<BlockIndex.Entry> takePinned(int count) {
    final List<BlockIndex.Entry> taken = List.copyOf(pinned.subList(0, count));
    pinned.subList(0, count).clear();
    unpin();
    return taken;
  }

  void unpin() {
    pinned.forEach(index::unpin);
    pinned.clear();
  }

  /** The request has ended: it needs nothing any more. */
  void end() {
    unpin();
    cancelLoad();
  }

  /** What is not loaded yet need not be. */
  void cancelLoad() {
    if (load != null) {
      load.cancel();
    }
  }
}
