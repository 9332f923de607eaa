package dev.headway.cuda.executor;

/**
 * The numbers of rows that the library is asked for: 1, 2, 4, 8, 16, multiples of 16 up to 1,024
 * and of 64 beyond. Few of them, so that plans stay few; at most 6 % more rows from 1,024 on, and
 * none that a tile of the tensor cores would not hold anyway below. Stateless.
 */
final class ProductRows {
  private static final int TILE = 16;
  private static final int FINE_UP_TO = 1_024;
  private static final int COARSE = 64;

  private ProductRows() {}

  /** The smallest number that holds {@code rows}; what is behind them is computed for nothing. */
  static int holding(int rows) {
    if (rows <= TILE) {
      return rows <= 1 ? 1 : Integer.highestOneBit(2 * rows - 1);
    }
    final int step = rows <= FINE_UP_TO ? TILE : COARSE;
    return (rows + step - 1) / step * step;
  }
}
