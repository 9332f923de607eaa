package dev.headway.kvcache;

import java.util.Arrays;

/**
 * Blocks given back by requests while a step that may still write them is out, oldest step first: a
 * ring of block runs. One thread; allocates only to grow.
 */
final class Quarantine {

  private long[] fences = new long[8];
  private int[][] runs = new int[8][];
  private int[] lengths = new int[8];
  private int head;
  private int size;

  Quarantine() {
    Arrays.setAll(runs, i -> new int[16]);
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Keeps the first {@code count} of {@code blocks} until step {@code fence} is acknowledged. */
  void add(long fence, int[] blocks, int count) {
    if (size == runs.length) {
      growRing();
    }
    final int at = (head + size++) % runs.length;
    if (runs[at].length < count) {
      runs[at] = new int[Math.max(count, 2 * runs[at].length)];
    }
    System.arraycopy(blocks, 0, runs[at], 0, count);
    fences[at] = fence;
    lengths[at] = count;
  }

  /** Whether the oldest run may go now that {@code acknowledged} is done. */
  boolean isDue(long acknowledged) {
    return size > 0 && fences[head] <= acknowledged;
  }

  /** Blocks of the oldest run; only the first {@link #oldestLength()} count. */
  int[] oldest() {
    return runs[head];
  }

  int oldestLength() {
    return lengths[head];
  }

  /** Fence and length of each run, oldest first. */
  long[][] inOrder() {
    final long[][] order = new long[size][];
    for (int i = 0; i < size; i++) {
      final int at = (head + i) % runs.length;
      order[i] = new long[] {fences[at], lengths[at]};
    }
    return order;
  }

  void removeOldest() {
    head = (head + 1) % runs.length;
    size--;
  }

  private void growRing() {
    final int capacity = 2 * runs.length;
    final long[] movedFences = new long[capacity];
    final int[][] movedRuns = new int[capacity][];
    final int[] movedLengths = new int[capacity];
    for (int i = 0; i < capacity; i++) {
      final boolean used = i < size;
      final int from = (head + i) % runs.length;
      movedFences[i] = used ? fences[from] : 0;
      movedRuns[i] = used ? runs[from] : new int[16];
      movedLengths[i] = used ? lengths[from] : 0;
    }
    fences = movedFences;
    runs = movedRuns;
    lengths = movedLengths;
    head = 0;
  }
}
