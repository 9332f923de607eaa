package dev.headway.kvcache;

import java.util.Arrays;

/**
 * Where a {@link PrefixTree} finds its contents: open addressing with linear probing, at most five
 * eighths full. A slot has a content and the low half of its hash, so that a lookup that misses and
 * a removal read one cache line here, and no record of another content.
 *
 * <p>One thread; allocates only when made.
 */
final class ContentSlots {

  /** Behind the last slot of a content. */
  static final int NONE = PrefixNodeTable.NONE;

  private static final long FREE = -1;

  private final long[] slots;
  private final int mask;

  /** Makes an empty table for as many contents. */
  ContentSlots(int contents) {
    slots = new long[Math.multiplyExact(2, Integer.highestOneBit((int) (contents * 8L / 5)))];
    mask = slots.length - 1;
    Arrays.fill(slots, FREE);
  }

  /** Returns the first slot with a content that may have this hash, or {@link #NONE}. */
  int first(long hash) {
    return from((int) hash & mask, hash);
  }

  /** Returns the next such slot behind {@code slot}, or {@link #NONE}. */
  int next(int slot, long hash) {
    return from((slot + 1) & mask, hash);
  }

  private int from(int start, long hash) {
    int slot = start;
    while (slots[slot] != FREE) {
      if (halfHash(slot) == (int) hash) {
        return slot;
      }
      slot = (slot + 1) & mask;
    }
    return NONE;
  }

  /** The content of a slot. */
  int content(int slot) {
    return (int) slots[slot];
  }

  /** Reads what lookups of this hash read first, and returns a number without meaning. */
  int touch(long hash) {
    return (int) slots[(int) hash & mask];
  }

  /** Adds a content, which must not be there. */
  void add(int content, long hash) {
    int slot = (int) hash & mask;
    while (slots[slot] != FREE) {
      slot = (slot + 1) & mask;
    }
    slots[slot] = hash << Integer.SIZE | content;
  }

  /** Removes a content, which must be there. */
  void remove(int content, long hash) {
    int hole = (int) hash & mask;
    while (content(hole) != content) {
      hole = (hole + 1) & mask;
    }
    slots[hole] = FREE;
    for (int slot = (hole + 1) & mask; slots[slot] != FREE; slot = (slot + 1) & mask) {
      // an entry may fill the hole unless its home lies cyclically in (hole, slot]
      if (((slot - halfHash(slot)) & mask) >= ((slot - hole) & mask)) {
        slots[hole] = slots[slot];
        slots[slot] = FREE;
        hole = slot;
      }
    }
  }

  private int halfHash(int slot) {
    return (int) (slots[slot] >> Integer.SIZE);
  }
}
