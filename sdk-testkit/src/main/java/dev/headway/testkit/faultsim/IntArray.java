package dev.headway.testkit.faultsim;

import java.util.Arrays;

/** Numbers in a row that is used again. */
final class IntArray {

  private int[] values = new int[8];
  private int size;

  void clear() {
    size = 0;
  }

  void add(int value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 2 * size);
    }
    values[size++] = value;
  }

  int size() {
    return size;
  }

  int get(int index) {
    return values[index];
  }
}
