package dev.headway.executor.model;

/**
 * The scales of a matrix, one for each block of {@code rowsPerScale} x {@code columnsPerScale}
 * weights; blocks at the ends may be smaller.
 *
 * @param rows of the matrix
 * @param columns of the matrix
 * @param values by rows of blocks
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ScaleGrid(int rows, int columns, int rowsPerScale, int columnsPerScale, float[] values) {

  /** Blocks side by side. */
  int across() {
    return Math.ceilDiv(columns, columnsPerScale);
  }

  /** The scale of a row's weights in one of the blocks side by side. */
  float at(int row, int block) {
    return values[row / rowsPerScale * across() + block];
  }
}
