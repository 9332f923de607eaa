package dev.headway.executor.vector;

/**
 * Rows of floats in one array, each padded to whole panels. Grows to the largest step and stays:
 * later steps of that size allocate nothing. The engine thread grows it, workers fill it.
 */
final class Activations {

  /**
   * Rows are added so many at a time, so that a batch that grows by one does not copy each step.
   */
  private static final int MORE_ROWS = 16;

  private final String name;
  private final int stride;
  private float[] values = {};
  private int rows;

  /**
   * Holds no rows yet.
   *
   * @param name what messages call it
   * @param width elements of a row
   */
  Activations(String name, int width) {
    this.name = name;
    this.stride = Lanes.padded(width);
  }

  /** Makes room; what was there is lost if there was less. */
  void reserve(int count) {
    if (count <= rows) {
      return;
    }
    final int more = Math.ceilDiv(count, MORE_ROWS) * MORE_ROWS;
    if ((long) more * stride > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "the rows of a step must fit a Java array: "
              + name
              + ", rows="
              + count
              + ", elements per row="
              + stride
              + "; give fewer maxNumBatchedTokens");
    }
    values = new float[more * stride];
    rows = more;
  }

  float[] values() {
    return values;
  }

  /** Where a row begins. */
  int at(int row) {
    return row * stride;
  }

  /** Elements from one row to the next. */
  int stride() {
    return stride;
  }
}
