package dev.headway.scheduler.policy.order;

import java.util.Arrays;

/**
 * A number per live request: open addressing over request numbers, linear probing, at most half
 * full. Engine thread only; allocates only to grow.
 */
final class RequestLongMap {

  private static final long FREE = -1;

  private long[] numbers = new long[64];
  private long[] values = new long[64];
  private int size;

  RequestLongMap() {
    Arrays.fill(numbers, FREE);
  }

  int size() {
    return size;
  }

  /** Returns the value of request {@code number}, or {@code fallback}. */
  long get(long number, long fallback) {
    final int slot = slotOf(number);
    return numbers[slot] == number ? values[slot] : fallback;
  }

  void clear() {
    Arrays.fill(numbers, FREE);
    size = 0;
  }

  void put(long number, long value) {
    int slot = slotOf(number);
    if (numbers[slot] != number) {
      if (2 * (size + 1) > numbers.length) {
        grow();
        slot = slotOf(number);
      }
      numbers[slot] = number;
      size++;
    }
    values[slot] = value;
  }

  void remove(long number) {
    int hole = slotOf(number);
    if (numbers[hole] != number) {
      return;
    }
    size--;
    numbers[hole] = FREE;
    final int mask = numbers.length - 1;
    for (int slot = (hole + 1) & mask; numbers[slot] != FREE; slot = (slot + 1) & mask) {
      // an entry may fill the hole unless its home lies cyclically in (hole, slot]
      if (((slot - home(numbers[slot])) & mask) >= ((slot - hole) & mask)) {
        numbers[hole] = numbers[slot];
        values[hole] = values[slot];
        numbers[slot] = FREE;
        hole = slot;
      }
    }
  }

  private int home(long number) {
    return (int) ((number * 0x9E3779B97F4A7C15L) >>> 32) & (numbers.length - 1);
  }

  private int slotOf(long number) {
    int slot = home(number);
    while (numbers[slot] != FREE && numbers[slot] != number) {
      slot = (slot + 1) & (numbers.length - 1);
    }
    return slot;
  }

  private void grow() {
    final long[] oldNumbers = numbers;
    final long[] oldValues = values;
    numbers = new long[2 * oldNumbers.length];
    values = new long[2 * oldNumbers.length];
    Arrays.fill(numbers, FREE);
    for (int i = 0; i < oldNumbers.length; i++) {
      if (oldNumbers[i] != FREE) {
        final int slot = slotOf(oldNumbers[i]);
        numbers[slot] = oldNumbers[i];
        values[slot] = oldValues[i];
      }
    }
  }
}
