package dev.headway.kvcache;

import java.util.Arrays;

/**
 * Blocks by the instant at which they expire: a binary heap that knows each block's place, so that
 * any can be taken out. O(log n); one thread; allocates nothing once made.
 */
final class ExpiryHeap {

  private static final int ABSENT = -1;

  private final int[] heap;
  private final int[] places;
  private final long[] instants;
  private int size;

  ExpiryHeap(int numBlocks) {
    heap = new int[numBlocks];
    places = new int[numBlocks];
    instants = new long[numBlocks];
    Arrays.fill(places, ABSENT);
  }

  /** Whether no block expires. */
  boolean isEmpty() {
    return size == 0;
  }

  /** Whether the earliest of them expires by {@code nowNs}. */
  boolean isDue(long nowNs) {
    return size > 0 && instants[heap[0]] - nowNs <= 0;
  }

  /** Removes the block that expires first, and returns it. There must be one. */
  int takeFirst() {
    final int block = heap[0];
    remove(block);
    return block;
  }

  /** Adds a block, which must not be here. */
  void add(int block, long expiryNs) {
    instants[block] = expiryNs;
    rise(size++, block);
  }

  /** Removes a block if it is here. */
  void remove(int block) {
    final int place = places[block];
    if (place == ABSENT) {
      return;
    }
    places[block] = ABSENT;
    final int moved = heap[--size];
    if (moved != block) {
      sink(place, moved);
      if (heap[place] == moved) {
        rise(place, moved);
      }
    }
  }

  private void rise(int from, int block) {
    int place = from;
    while (place > 0 && isEarlier(block, heap[(place - 1) / 2])) {
      put(place, heap[(place - 1) / 2]);
      place = (place - 1) / 2;
    }
    put(place, block);
  }

  private void sink(int from, int block) {
    int place = from;
    while (2 * place + 1 < size) {
      int child = 2 * place + 1;
      if (child + 1 < size && isEarlier(heap[child + 1], heap[child])) {
        child++;
      }
      if (!isEarlier(heap[child], block)) {
        break;
      }
      put(place, heap[child]);
      place = child;
    }
    put(place, block);
  }

  private boolean isEarlier(int block, int other) {
    return instants[block] - instants[other] < 0;
  }

  private void put(int place, int block) {
    heap[place] = block;
    places[block] = place;
  }
}
