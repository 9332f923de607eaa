package dev.headway.simulation.regression;

/**
 * Weighted sums over rows, {@code X'WX} and {@code X'Wy}: all that least squares need to know of
 * them. Sums of parts of the rows can be added. Deterministic: rows are summed in the order in
 * which they are added. Not thread-safe.
 */
public final class Gram {

  private final double[][] products;
  private final double[] targets;

  /** Starts without rows, for so many columns. */
  public Gram(int columns) {
    products = new double[columns][columns];
    targets = new double[columns];
  }

  /** Adds a row. */
  public void add(double[] row, double target, double weight) {
    for (int i = 0; i < row.length; i++) {
      final double weighted = weight * row[i];
      if (weighted != 0) {
        for (int j = 0; j <= i; j++) {
          products[i][j] += weighted * row[j];
        }
        targets[i] += weighted * target;
      }
    }
  }

  /** Adds the sums of other rows. */
  public void add(Gram other) {
    for (int i = 0; i < targets.length; i++) {
      for (int j = 0; j <= i; j++) {
        products[i][j] += other.products[i][j];
      }
      targets[i] += other.targets[i];
    }
  }

  /** Columns of a row. */
  public int columns() {
    return targets.length;
  }

  /** The weighted sum of the products of two columns. */
  public double product(int i, int j) {
    return i >= j ? products[i][j] : products[j][i];
  }

  /** The weighted sum of the products of a column and the target. */
  public double target(int i) {
    return targets[i];
  }

  /** Whether any row had something in a column. */
  public boolean isSeen(int column) {
    return products[column][column] > 0;
  }
}
