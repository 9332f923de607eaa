package dev.headway.scheduler.support;

import java.util.Arrays;

/**
 * A number per number, keys >= 0: open addressing, linear probing, at most half full. One thread;
 * allocates only to grow.
 */
public final class LongLongMap {

  private static final long FREE = -1;

  private long[] keys = new long[64];
  private long[] values = new long[64];
  private int size;

  /** Makes an empty map. */
  public LongLongMap() {
    Arrays.fill(keys, FREE);
  }

  /** Number of keys. */
  public int size() {
    return size;
  }

  /** Returns the value of {@code key}, or {@code fallback}. */
  public long get(long key, long fallback) {
    final int slot = slotOf(key);
    return keys[slot] == key ? values[slot] : fallback;
  }

  /** Removes all keys. */
  public void clear() {
    Arrays.fill(keys, FREE);
    size = 0;
  }

  /** Sets the value of {@code key}, which must be >= 0. */
  public void put(long key, long value) {
    int slot = slotOf(key);
    if (keys[slot] != key) {
      if (2 * (size + 1) > keys.length) {
        grow();
        slot = slotOf(key);
      }
      keys[slot] = key;
      size++;
    }
    values[slot] = value;
  }

  /** Removes {@code key} if it is there. */
  public void remove(long key) {
    int hole = slotOf(key);
    if (keys[hole] != key) {
      return;
    }
    size--;
    keys[hole] = FREE;
    final int mask = keys.length - 1;
    for (int slot = (hole + 1) & mask; keys[slot] != FREE; slot = (slot + 1) & mask) {
      // an entry may fill the hole unless its home lies cyclically in (hole, slot]
      if (((slot - home(keys[slot])) & mask) >= ((slot - hole) & mask)) {
        keys[hole] = keys[slot];
        values[hole] = values[slot];
        keys[slot] = FREE;
        hole = slot;
      }
    }
  }

  private int home(long key) {
    return (int) ((key * 0x9E3779B97F4A7C15L) >>> 32) & (keys.length - 1);
  }

  private int slotOf(long key) {
    int slot = home(key);
    while (keys[slot] != FREE && keys[slot] != key) {
      slot = (slot + 1) & (keys.length - 1);
    }
    return slot;
  }

  private void grow() {
    final long[] oldNumbers = keys;
    final long[] oldValues = values;
    keys = new long[2 * oldNumbers.length];
    values = new long[2 * oldNumbers.length];
    Arrays.fill(keys, FREE);
    for (int i = 0; i < oldNumbers.length; i++) {
      if (oldNumbers[i] != FREE) {
        final int slot = slotOf(oldNumbers[i]);
        keys[slot] = oldNumbers[i];
        values[slot] = oldValues[i];
      }
    }
  }
}
