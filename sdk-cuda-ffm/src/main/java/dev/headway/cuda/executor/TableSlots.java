package dev.headway.cuda.executor;

import java.util.Arrays;

/**
 * Which request has which row of the block tables. A request keeps its row until it is freed, or
 * another one needs it: then the row goes that no step has used for longest. One thread; allocates
 * nothing.
 */
final class TableSlots {
  /** The request has no row. */
  static final int NONE = -1;

  private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;
  private static final long NEVER = 0;

  private final long[] numbers; // of requests, by row
  private final long[] usedIn; // step, by row; NEVER = the row is free
  private final int[] free; // rows, a stack
  private int freeRows;

  /** Rows by request, open addressing: rows + 1, 0 = empty. */
  private final int[] places;

  private final int mask;
  private final int shift;
  private long step;

  TableSlots(int rows) {
    numbers = new long[rows];
    usedIn = new long[rows];
    free = new int[rows];
    final int bits = 64 - Long.numberOfLeadingZeros(2L * rows);
    places = new int[1 << bits];
    mask = places.length - 1;
    shift = 64 - bits;
    clear();
  }

  /** Begins a step: its requests are found before any row is taken, and keep theirs. */
  void beginStep() {
    step++;
  }

  /** The row of a request, which this step uses from now on, or {@link #NONE}. */
  int find(long requestNumber) {
    final int row = places[placeOf(requestNumber)] - 1;
    if (row >= 0) {
      usedIn[row] = step;
    }
    return row;
  }

  /**
   * Gives a row to a request that has none: a free one, or the one not used for longest.
   *
   * @throws IllegalStateException if this step uses all of them
   */
  int take(long requestNumber) {
    if (freeRows == 0) {
      free(numbers[leastRecentlyUsed()]);
    }
    final int row = free[--freeRows];
    numbers[row] = requestNumber;
    usedIn[row] = step;
    places[placeOf(requestNumber)] = row + 1;
    return row;
  }

  private int leastRecentlyUsed() {
    int oldest = 0;
    for (int row = 1; row < usedIn.length; row++) {
      if (usedIn[row] < usedIn[oldest]) {
        oldest = row;
      }
    }
    if (usedIn[oldest] == step) {
      throw new IllegalStateException(
          "a step must not have more requests than there are block tables: tables="
              + usedIn.length);
    }
    return oldest;
  }

  /** Takes the row of a request back, if it has one. */
  void free(long requestNumber) {
    int hole = placeOf(requestNumber);
    final int row = places[hole] - 1;
    if (row < 0) {
      return;
    }
    usedIn[row] = NEVER;
    free[freeRows++] = row;
    places[hole] = 0;
    // what was put behind the hole because it was full moves up, or it would not be found
    for (int at = (hole + 1) & mask; places[at] != 0; at = (at + 1) & mask) {
      final int home = homeOf(numbers[places[at] - 1]);
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        places[hole] = places[at];
        places[at] = 0;
        hole = at;
      }
    }
  }

  /** Takes all rows back. */
  void clear() {
    Arrays.fill(places, 0);
    Arrays.fill(usedIn, NEVER);
    freeRows = free.length;
    for (int i = 0; i < freeRows; i++) {
      free[i] = freeRows - 1 - i; // row 0 first
    }
  }

  /** Where a request is, or would be put. */
  private int placeOf(long requestNumber) {
    int at = homeOf(requestNumber);
    while (places[at] != 0 && numbers[places[at] - 1] != requestNumber) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private int homeOf(long requestNumber) {
    return (int) ((requestNumber * GOLDEN_GAMMA) >>> shift);
  }
}
