package dev.headway.scheduler.policy.order;

import java.util.Arrays;

/**
 * Accounts by the service they had, the least first: a binary heap that knows where each account
 * is. O(log accounts) per change; allocates only to grow. One thread.
 */
final class LeastServed {

  private static final int ABSENT = -1;

  private int[] heap = new int[16];
  private int[] positions = new int[16];
  private double[] service = new double[16];
  private int size;

  LeastServed() {
    Arrays.fill(positions, ABSENT);
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** The service of the account that had least; there must be one. */
  double least() {
    return service[heap[0]];
  }

  /** Adds an account, or changes the service of one that is here. */
  void put(int account, double served) {
    if (account >= positions.length) {
      final int before = positions.length;
      final int capacity = Math.max(account + 1, 2 * before);
      positions = Arrays.copyOf(positions, capacity);
      service = Arrays.copyOf(service, capacity);
      Arrays.fill(positions, before, capacity, ABSENT);
    }
    service[account] = served;
    if (positions[account] == ABSENT) {
      if (size == heap.length) {
        heap = Arrays.copyOf(heap, 2 * size);
      }
      place(account, size++);
    }
    rise(positions[account]);
    sink(positions[account]);
  }

  /** Takes an account out that is here. */
  void remove(int account) {
    final int hole = positions[account];
    positions[account] = ABSENT;
    final int last = heap[--size];
    if (last != account) {
      place(last, hole);
      rise(hole);
      sink(positions[last]);
    }
  }

  private void rise(int from) {
    int child = from;
    while (child > 0) {
      final int parent = (child - 1) / 2;
      if (service[heap[parent]] <= service[heap[child]]) {
        return;
      }
      swap(parent, child);
      child = parent;
    }
  }

  private void sink(int from) {
    int parent = from;
    while (2 * parent + 1 < size) {
      int child = 2 * parent + 1;
      if (child + 1 < size && service[heap[child + 1]] < service[heap[child]]) {
        child++;
      }
      if (service[heap[parent]] <= service[heap[child]]) {
        return;
      }
      swap(parent, child);
      parent = child;
    }
  }

  private void swap(int a, int b) {
    final int account = heap[a];
    place(heap[b], a);
    place(account, b);
  }

  private void place(int account, int position) {
    heap[position] = account;
    positions[account] = position;
  }
}
