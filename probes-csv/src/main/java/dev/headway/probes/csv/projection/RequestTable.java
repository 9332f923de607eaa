package dev.headway.probes.csv.projection;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Live requests by number: open addressing with linear probing, so that a step's entries are looked
 * up without a boxed key.
 */
final class RequestTable {

  private @Nullable RequestTimeline[] slots = new @Nullable RequestTimeline[64];
  private int size;

  @Nullable RequestTimeline get(long number) {
    return slots[find(number)];
  }

  /** Adds a request; returns false if its number is taken. */
  boolean add(RequestTimeline request) {
    if (2 * size >= slots.length) {
      grow();
    }
    final int slot = find(request.identity().number());
    if (slots[slot] != null) {
      return false;
    }
    slots[slot] = request;
    size++;
    return true;
  }

  void remove(RequestTimeline request) {
    int hole = find(request.identity().number());
    if (slots[hole] == null) {
      return;
    }
    slots[hole] = null;
    size--;
    int slot = hole;
    while (true) { // move back what probed past the hole
      slot = (slot + 1) & (slots.length - 1);
      final RequestTimeline moved = slots[slot];
      if (moved == null) {
        return;
      }
      final int home = home(moved.identity().number());
      final boolean reachable =
          (hole <= slot) ? (hole < home && home <= slot) : (hole < home || home <= slot);
      if (!reachable) {
        slots[hole] = moved;
        slots[slot] = null;
        hole = slot;
      }
    }
  }

  int size() {
    return size;
  }

  /** Returns the live requests in the order of their numbers. */
  List<RequestTimeline> inOrder() {
    final List<RequestTimeline> requests = new ArrayList<>(size);
    for (RequestTimeline request : slots) {
      if (request != null) {
        requests.add(request);
      }
    }
    requests.sort(Comparator.comparingLong(request -> request.identity().number()));
    return requests;
  }

  private int find(long number) {
    int slot = home(number);
    RequestTimeline request = slots[slot];
    while (request != null && request.identity().number() != number) {
      slot = (slot + 1) & (slots.length - 1);
      request = slots[slot];
    }
    return slot;
  }

  private int home(long number) {
    return (int) ((number * 0x9E3779B97F4A7C15L) >>> 32) & (slots.length - 1);
  }

  private void grow() {
    final @Nullable RequestTimeline[] old = slots;
    slots = new @Nullable RequestTimeline[2 * old.length];
    for (RequestTimeline request : old) {
      if (request != null) {
        slots[find(request.identity().number())] = request;
      }
    }
  }
}
