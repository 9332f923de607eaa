package dev.headway.faultsim.simulation;

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

  void set(int index, int value) {
    values[index] = value;
  }

  /** Leaves the first {@code length}. */
  void cut(int length) {
    size = length;
  }

  int size() {
    return size;
  }

  int get(int index) {
    return values[index];
  }
}
