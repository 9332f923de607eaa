package dev.headway.cuda.executor;

import java.util.Arrays;

/**
 * The launches that a step's list of prefill items is cut into, so that the records of each fit
 * into the scratch: the next launch uses it again. Most steps have one. Allocates nothing once its
 * array has grown.
 */
final class PrefillLaunches {
  private int mostRecords;
  private int[] ends = new int[4];
  private int count;
  private int records;

  /**
   * Makes it a list without items; {@code mostRecords}: what the scratch of a launch has room for.
   */
  void clear(int mostRecords) {
    this.mostRecords = mostRecords;
    count = 0;
    records = 0;
  }

  /**
   * Begins a tile, and with it a launch where no other has room for it.
   *
   * @param needed records that it needs
   * @return its first record
   */
  int place(int needed) {
    if (count == 0 || records + needed > mostRecords) {
      count++;
      records = 0;
    }
    final int first = records;
    records += needed;
    return first;
  }

  /** Says that the list ends here so far, behind the tile that was placed last. */
  void endAt(int item) {
    if (ends.length < count) {
      ends = Arrays.copyOf(ends, 2 * count);
    }
    ends[count - 1] = item;
  }

  /** How many launches there are. */
  int count() {
    return count;
  }

  /** The first item of a launch. */
  int begin(int launch) {
    return launch == 0 ? 0 : ends[launch - 1];
  }

  /** The end of its items. */
  int end(int launch) {
    return ends[launch];
  }
}
