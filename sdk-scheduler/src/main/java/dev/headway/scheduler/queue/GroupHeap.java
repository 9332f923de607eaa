package dev.headway.scheduler.queue;

import dev.headway.scheduler.queue.GroupQueue.Group;
import dev.headway.scheduler.state.RequestState;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Groups with requests, the one whose turn it is first: a binary heap. Allocates only to grow. */
final class GroupHeap {

  private @Nullable Group[] heap = new Group[16];
  private int size;

  @Nullable Group first() {
    return heap[0];
  }

  void add(Group group) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
    }
    up(size++, group);
  }

  void remove(Group group) {
    final int hole = group.heapIndex;
    group.heapIndex = RequestState.NOWHERE;
    final Group last = at(--size);
    heap[size] = null;
    if (last != group) {
      place(hole, last);
    }
  }

  /** The score or the first request of a group is another one. */
  void moved(Group group) {
    place(group.heapIndex, group);
  }

  /** Gives all groups the same score, so that their first requests decide. */
  void level() {
    for (int index = 0; index < size; index++) {
      at(index).score = 0;
    }
    for (int index = size / 2 - 1; index >= 0; index--) {
      down(index, at(index));
    }
  }

  private void place(int index, Group group) {
    down(index, group);
    if (heap[index] == group) {
      up(index, group);
    }
  }

  private void up(int from, Group group) {
    int hole = from;
    while (hole > 0) {
      final int parent = (hole - 1) >>> 1;
      if (!group.isBefore(at(parent))) {
        break;
      }
      put(hole, at(parent));
      hole = parent;
    }
    put(hole, group);
  }

  private void down(int from, Group group) {
    int hole = from;
    while (2 * hole + 1 < size) {
      int child = 2 * hole + 1;
      if (child + 1 < size && at(child + 1).isBefore(at(child))) {
        child++;
      }
      if (!at(child).isBefore(group)) {
        break;
      }
      put(hole, at(child));
      hole = child;
    }
    put(hole, group);
  }

  private void put(int index, Group group) {
    heap[index] = group;
    group.heapIndex = index;
  }

  private Group at(int index) {
    final Group group = heap[index];
    if (group == null) {
      throw new IllegalStateException("heap has a hole: index=" + index + ", size=" + size);
    }
    return group;
  }
}
