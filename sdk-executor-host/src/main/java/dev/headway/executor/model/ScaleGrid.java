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

  /** The scale of a weight. */
  float at(int row, int column) {
    final int blocks = Math.ceilDiv(columns, columnsPerScale);
    return values[row / rowsPerScale * blocks + column / columnsPerScale];
  }
}
