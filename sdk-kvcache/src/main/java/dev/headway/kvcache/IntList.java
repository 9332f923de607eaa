package dev.headway.kvcache;

import java.util.Arrays;

/** A growable list of ints. One thread; allocates only to grow. */
final class IntList {

  private int[] values = new int[16];
  private int size;

  int size() {
    return size;
  }

  int get(int index) {
    return values[index];
  }

  /** The values; only the first {@link #size()} count. */
  int[] values() {
    return values;
  }

  void add(int value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 2 * size);
    }
    values[size++] = value;
  }

  /** Takes out the value at {@code index}; those behind it move up. */
  void removeAt(int index) {
    System.arraycopy(values, index + 1, values, index, --size - index);
  }

  void clear() {
    size = 0;
  }
}
