package dev.headway.cuda.executor;

import java.util.stream.IntStream;

/**
 * The batch sizes for which graphs are recorded: 1, 2, 4, 8, then multiples of 8. A smaller batch
 * is filled up with rows of padding.
 */
final class BatchSizes {
  private BatchSizes() {}

  /** The smallest size that holds {@code requests}, at most {@code maxNumSeqs}. */
  static int holding(int requests, int maxNumSeqs) {
    final int size =
        requests <= 8
            ? Math.max(1, Integer.highestOneBit(2 * requests - 1))
            : (requests + 7) / 8 * 8;
    return Math.min(size, maxNumSeqs);
  }

  /** All sizes, rising; the last is {@code maxNumSeqs}. */
  static int[] all(int maxNumSeqs) {
    return IntStream.iterate(1, size -> size <= maxNumSeqs, size -> holding(size, maxNumSeqs) + 1)
        .map(size -> holding(size, maxNumSeqs))
        .toArray();
  }
}
