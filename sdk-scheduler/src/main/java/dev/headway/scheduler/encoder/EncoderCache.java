package dev.headway.scheduler.encoder;

import dev.headway.api.request.MultiModalItem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/*
 * An output is entered when it is planned, not when it is computed. While a request refers to it,
 * it stays. Afterwards it can still be found, until its slots are needed: the one that has been
 * without references for the longest time goes first.
 *
 *   free      slots that hold nothing
 *   freeable  these, and the slots of outputs without references
 */

/**
 * Which outputs of the encoder the executor keeps, by the hash of their content; the unit is one
 * embedding. Engine thread only. Nothing but {@link #open} allocates once warm.
 *
 * <p>Source: vLLM 0.28, {@code EncoderCacheManager}.
 */
public final class EncoderCache {

  private final int slots;
  private final Map<String, EncodedItem> known = new HashMap<>();

  /** Hashes of what the executor is to drop. */
  private final List<String> dropped = new ArrayList<>();

  private @Nullable EncodedItem oldest;
  private @Nullable EncodedItem newest;
  private int free;
  private int freeable;

  /** Makes an empty cache. */
  public EncoderCache(int slots) {
    this.slots = slots;
    free = slots;
    freeable = slots;
  }

  /** Slots that hold nothing. */
  public int freeSlots() {
    return free;
  }

  /** Slots that hold nothing, or outputs without references. */
  public int freeableSlots() {
    return freeable;
  }

  /** Takes in the items of a request; {@link #close} ends that. */
  public RequestItems open(List<MultiModalItem> items) {
    return new RequestItems(
        items, hash -> known.computeIfAbsent(hash, key -> new EncodedItem(key)));
  }

  /** Ends the references of a request, and forgets what no other has. */
  public void close(RequestItems items) {
    releaseAll(items);
    for (int index = 0; index < items.count(); index++) {
      final EncodedItem item = items.item(index);
      item.users--;
      forgetUnused(item);
    }
  }

  private void forgetUnused(EncodedItem item) {
    if (item.users == 0 && !item.cached) {
      known.remove(item.hash);
    }
  }

  /** Refers to the output of an item if there is one; returns whether there is. */
  public boolean refer(RequestItems items, int index) {
    final EncodedItem item = items.item(index);
    if (!item.cached) {
      return false;
    }
    if (!items.refersTo(index) && item.references++ == 0) {
      unlink(item);
      freeable -= item.embeddings;
    }
    items.hold(index);
    return true;
  }

  /** Whether as many slots can be had. */
  public boolean canHold(int embeddings) {
    return embeddings <= free || embeddings <= freeable;
  }

  /** Drops outputs without references, oldest first, until as many slots are free. */
  public void makeRoom(int embeddings) {
    while (embeddings > free && oldest != null) {
      final EncodedItem item = oldest;
      unlink(item);
      free += item.embeddings;
      leave(item);
      dropped.add(item.hash);
    }
  }

  /** The output of an item will be there, and its request refers to it. There must be room. */
  public void enter(RequestItems items, int index) {
    final EncodedItem item = items.item(index);
    item.cached = true;
    item.embeddings = items.embeddings(index);
    item.references = 1;
    free -= item.embeddings;
    freeable -= item.embeddings;
    items.hold(index);
  }

  private void release(RequestItems items, int index) {
    final EncodedItem item = items.item(index);
    final boolean held = items.refersTo(index);
    items.drop(index);
    if (held && --item.references == 0) {
      link(item);
      freeable += item.embeddings;
    }
  }

  /** Ends a request's references, in the order of its items. */
  public void releaseAll(RequestItems items) {
    for (int index = 0; items.needsAny() && index < items.count(); index++) {
      if (items.needs(index)) {
        release(items, index);
      }
    }
  }

  /** Ends a request's references to items that end at {@code position} or before it. */
  public void releaseBefore(RequestItems items, int position) {
    for (int index = 0; items.needsAny() && index < items.count(); index++) {
      if (items.needs(index) && items.end(index) <= position) {
        release(items, index);
      }
    }
  }

  /** The output of an item will not be there after all: references to it are void. */
  public void forget(RequestItems items, int index) {
    final EncodedItem item = items.item(index);
    if (item.cached) {
      if (item.references == 0) {
        unlink(item);
      } else {
        freeable += item.embeddings;
      }
      free += item.embeddings;
      leave(item);
    }
  }

  /** As {@link #forget}; the executor may have it and is to drop it. */
  public void drop(RequestItems items, int index) {
    if (items.item(index).cached) {
      forget(items, index);
      dropped.add(items.item(index).hash);
    }
  }

  /** What a plan was to drop may still be there: the next plan drops it, unless it is kept then. */
  public void dropAgain(List<String> hashes) {
    dropped.addAll(hashes);
  }

  /** Forgets all outputs and all references, and what was to be dropped. */
  public void reset() {
    dropped.clear();
    oldest = null;
    newest = null;
    free = slots;
    freeable = slots;
    final Iterator<EncodedItem> all = known.values().iterator();
    while (all.hasNext()) {
      final EncodedItem item = all.next();
      item.next = null;
      item.previous = null;
      if (item.cached) {
        item.cached = false;
        item.references = 0;
        item.generation++;
      }
      if (item.users == 0) {
        all.remove();
      }
    }
  }

  /** As {@link #reset}; the executor has what was kept and is to drop it. */
  public void resetAndDrop() {
    final List<String> kept = new ArrayList<>(dropped);
    kept.addAll(cachedHashes());
    reset();
    dropped.addAll(kept);
  }

  private void leave(EncodedItem item) {
    item.cached = false;
    item.references = 0;
    item.generation++;
    forgetUnused(item);
  }

  /**
   * Moves the hashes that the executor is to drop to {@code target}, but for what is kept again.
   */
  public void takeDropped(List<String> target) {
    for (int i = 0; i < dropped.size(); i++) {
      final EncodedItem item = known.get(dropped.get(i));
      if (item == null || !item.cached) {
        target.add(dropped.get(i));
      }
    }
    dropped.clear();
  }

  /** Hashes of the outputs that are kept, in no order. For tests and diagnosis. */
  public List<String> cachedHashes() {
    return known.values().stream().filter(item -> item.cached).map(item -> item.hash).toList();
  }

  /** Hashes of those without references, the next to go first. For tests and diagnosis. */
  public List<String> evictionOrder() {
    final List<String> order = new ArrayList<>();
    for (EncodedItem item = oldest; item != null; item = item.next) {
      order.add(item.hash);
    }
    return order;
  }

  /** Hashes that {@link #takeDropped} has still to hand over. For tests and diagnosis. */
  public List<String> droppedHashes() {
    return List.copyOf(dropped);
  }

  private void link(EncodedItem item) {
    item.previous = newest;
    if (newest == null) {
      oldest = item;
    } else {
      newest.next = item;
    }
    newest = item;
  }

  private void unlink(EncodedItem item) {
    if (item.previous == null) {
      oldest = item.next;
    } else {
      item.previous.next = item.next;
    }
    if (item.next == null) {
      newest = item.previous;
    } else {
      item.next.previous = item.previous;
    }
    item.next = null;
    item.previous = null;
  }
}
