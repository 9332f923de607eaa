package dev.headway.cli.load;

import java.util.Arrays;

/**
 * Numbers content hashes of KV blocks from 0 and keeps which block is before each. A hash covers
 * everything up to the end of its block, so that a block has one block before it. Open addressing;
 * 24 to 48 bytes per block of different content, however large the journal is.
 */
final class BlockIds {
  static final int NONE = -1;

  private static final int FIRST_CAPACITY = 1 << 10;
  private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

  private long[] hashes = new long[FIRST_CAPACITY / 2];
  private int[] before = new int[FIRST_CAPACITY / 2];
  private int[] slots = emptySlots(FIRST_CAPACITY);
  private int count;

  /** The number of a hash; a new one if it is new. */
  int of(long hash) {
    int slot = slotOf(hash);
    if (slots[slot] == NONE) {
      if (count == hashes.length) {
        grow();
        slot = slotOf(hash);
      }
      slots[slot] = count;
      hashes[count] = hash;
      before[count] = NONE;
      count++;
    }
    return slots[slot];
  }

  /** Says that {@code first} is the block before {@code second}. */
  void link(int first, int second) {
    before[second] = first;
  }

  /** The block before, or {@link #NONE}. */
  int before(int id) {
    return before[id];
  }

  private int slotOf(long hash) {
    final int mask = slots.length - 1;
    int slot = (int) ((hash * GOLDEN_GAMMA) >>> 32) & mask;
    while (slots[slot] != NONE && hashes[slots[slot]] != hash) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    hashes = Arrays.copyOf(hashes, 2 * count);
    before = Arrays.copyOf(before, 2 * count);
    slots = emptySlots(4 * count);
    for (int id = 0; id < count; id++) {
      slots[slotOf(hashes[id])] = id;
    }
  }

  private static int[] emptySlots(int capacity) {
    final int[] slots = new int[capacity];
    Arrays.fill(slots, NONE);
    return slots;
  }
}
