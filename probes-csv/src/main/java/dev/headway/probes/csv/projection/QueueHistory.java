package dev.headway.probes.csv.projection;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The positions a request had in the waiting queue.
 *
 * <p>First, largest and mean are over all iterations it waited in. The history keeps the changes
 * that were seen; of a long one every second is forgotten whenever {@value #CAPACITY} are full, so
 * that it stays bounded and spread over the whole wait.
 */
final class QueueHistory {

  private static final int CAPACITY = 16;

  private long[] iterations = new long[0];
  private int[] positions = new int[0];
  private int size;
  private long changes;
  private long stride = 1;

  private int first = -1;
  private int last = -1;
  private int largest;
  private long sum;
  private long count;

  /** The request was seen at {@code position} in this iteration; the first time, its first. */
  void record(long iteration, int position) {
    if (first < 0) {
      first = position;
    }
    if (position != last) {
      last = position;
      keep(iteration, position);
    }
  }

  /** A stay in the queue is over, of so many iterations with positions that sum up so. */
  void waited(long iterations, long positions, int largestPosition) {
    if (iterations > 0) {
      count += iterations;
      sum += positions;
      largest = Math.max(largest, largestPosition);
    }
  }

  /** Iterations it waited in. */
  long count() {
    return count;
  }

  /** Position in the first of them; meaningful if there is one. */
  int first() {
    return first;
  }

  /** Largest position; meaningful if there is one. */
  int largest() {
    return largest;
  }

  /** Sum of the positions over all of them. */
  long sum() {
    return sum;
  }

  /** Returns {@code [[iteration,position],…]}, or null if it waited in no iteration. */
  @Nullable String json() {
    if (size == 0) {
      return null;
    }
    final StringBuilder json = new StringBuilder("[");
    for (int i = 0; i < size; i++) {
      json.append(i == 0 ? "[" : ",[").append(iterations[i]);
      json.append(',').append(positions[i]).append(']');
    }
    return json.append(']').toString();
  }

  private void keep(long iteration, int position) {
    if (changes++ % stride != 0) {
      return;
    }
    if (size == CAPACITY) {
      thinOut();
      if ((changes - 1) % stride != 0) {
        return;
      }
    }
    if (size == iterations.length) {
      iterations = Arrays.copyOf(iterations, Math.max(2, 2 * size));
      positions = Arrays.copyOf(positions, Math.max(2, 2 * size));
    }
    iterations[size] = iteration;
    positions[size++] = position;
  }

  private void thinOut() {
    for (int i = 0; i < size / 2; i++) {
      iterations[i] = iterations[2 * i];
      positions[i] = positions[2 * i];
    }
    size /= 2;
    stride *= 2;
  }
}
