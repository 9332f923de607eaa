package dev.headway.cuda.executor;

import java.util.stream.IntStream;

/**
 * The batch sizes for which graphs are recorded: 1, 2, 4, 8, then multiples of 8. A smaller batch
 * is filled up with rows of padding.
 */
final class BatchSizes {
  private BatchSizes() {}

  /** The smallest size that holds {@code rows}, at most {@code most}. */
  static int holding(int rows, int most) {
    final int size =
        rows <= 8 ? Math.max(1, Integer.highestOneBit(2 * rows - 1)) : (rows + 7) / 8 * 8;
    return Math.min(size, most);
  }

  /** All sizes, rising; the last is {@code most}. */
  static int[] all(int most) {
    return IntStream.iterate(1, size -> size <= most, size -> holding(size, most) + 1)
        .map(size -> holding(size, most))
        .toArray();
  }
}
