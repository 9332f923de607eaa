package dev.headway.simulation.fleet;

/**
 * Longs by long, open addressing with linear probing; a value of 0 is none. One thread. Ours
 * because boxed keys cost most of a simulation's time at millions of blocks.
 */
final class LongMap {

  private long[] keys = new long[64];
  private long[] values = new long[64];
  private int size;

  /** The value of a key, 0 for none. */
  long get(long key) {
    return values[slotOf(key)];
  }

  /** Sets the value of a key; 0 removes it. */
  void put(long key, long value) {
    final int slot = slotOf(key);
    if (value == 0) {
      if (values[slot] != 0) {
        size--;
        close(slot);
      }
      return;
    }
    if (values[slot] == 0) {
      size++;
      keys[slot] = key;
    }
    values[slot] = value;
    if (2 * size > keys.length) {
      grow();
    }
  }

  /** Adds to the value of a key. */
  void add(long key, long delta) {
    put(key, get(key) + delta);
  }

  void clear() {
    keys = new long[64];
    values = new long[64];
    size = 0;
  }

  private int slotOf(long key) {
    int slot = homeOf(key);
    while (values[slot] != 0 && keys[slot] != key) {
      slot = (slot + 1) & (keys.length - 1);
    }
    return slot;
  }

  private int homeOf(long key) {
    return (int) ((key * 0x9E3779B97F4A7C15L) >>> 32) & (keys.length - 1);
  }

  /** Moves entries behind a removed one up, so that no probe ends too early. */
  private void close(int removed) {
    final int mask = keys.length - 1;
    int hole = removed;
    int slot = removed;
    values[hole] = 0;
    while (true) {
      slot = (slot + 1) & mask;
      if (values[slot] == 0) {
        return;
      }
      final int home = homeOf(keys[slot]);
      if (((slot - home) & mask) >= ((slot - hole) & mask)) {
        keys[hole] = keys[slot];
        values[hole] = values[slot];
        values[slot] = 0;
        hole = slot;
      }
    }
  }

  private void grow() {
    final long[] oldKeys = keys;
    final long[] oldValues = values;
    keys = new long[2 * oldKeys.length];
    values = new long[2 * oldKeys.length];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldValues[i] != 0) {
        final int slot = slotOf(oldKeys[i]);
        keys[slot] = oldKeys[i];
        values[slot] = oldValues[i];
      }
    }
  }
}
