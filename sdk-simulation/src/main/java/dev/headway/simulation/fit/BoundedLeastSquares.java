package dev.headway.simulation.fit;

/**
 * Weighted least squares with a lower bound for each coefficient and a pull towards a prior: {@code
 * min sum_i w_i (x_i c - y_i)^2 + sum_j r_j (c_j - p_j)^2} with {@code c_j >= l_j}, by coordinate
 * descent on the normal equations, each step projected onto the bound. The problem is convex, so
 * this ends at the minimum. Deterministic: sums run in the order of the rows.
 */
final class BoundedLeastSquares {

  private static final int MOST_SWEEPS = 100_000;
  private static final double TOLERANCE = 1e-12;

  private final double[][] products;
  private final double[] targets;
  private final double[] lower;

  /** Starts without rows, for as many coefficients as there are bounds. */
  BoundedLeastSquares(double[] lower) {
    this.lower = lower.clone();
    products = new double[lower.length][lower.length];
    targets = new double[lower.length];
  }

  /** Adds a row. */
  void add(double[] row, double target, double weight) {
    for (int i = 0; i < row.length; i++) {
      for (int j = 0; j < row.length; j++) {
        products[i][j] += weight * row[i] * row[j];
      }
      targets[i] += weight * row[i] * target;
    }
  }

  /**
   * The coefficients.
   *
   * @param prior what they are pulled to
   * @param ridge how strongly, as a share of what the rows say of each
   */
  double[] solve(double[] prior, double ridge) {
    final int size = lower.length;
    final double[] solution = new double[size];
    for (int i = 0; i < size; i++) {
      solution[i] = Math.max(lower[i], prior[i]);
    }
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
      double change = 0;
      for (int i = 0; i < size; i++) {
        if (products[i][i] > 0) {
          final double next = Math.max(lower[i], best(i, solution, prior[i], ridge));
          change = Math.max(change, Math.abs(next - solution[i]) / Math.max(1, Math.abs(next)));
          solution[i] = next;
        }
      }
      if (change < TOLERANCE) {
        break;
      }
    }
    return solution;
  }

  private double best(int i, double[] solution, double prior, double ridge) {
    double rest = targets[i] + ridge * products[i][i] * prior;
    for (int j = 0; j < solution.length; j++) {
      if (j != i) {
        rest -= products[i][j] * solution[j];
      }
    }
    return rest / (products[i][i] * (1 + ridge));
  }

  /** Whether any row had something of a coefficient. */
  boolean isSeen(int coefficient) {
    return products[coefficient][coefficient] > 0;
  }
}
