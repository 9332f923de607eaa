package dev.headway.toolbox.stats;

/** A linear model {@code y = c0 + c1 x1 + … + ck xk}, by least squares. */
public final class LinearFit {

  private static final double SINGULAR = 1e-10;

  private final double[] coefficients;

  private LinearFit(double[] coefficients) {
    this.coefficients = coefficients;
  }

  /** Fits columns [1, …] of the rows to column 0. */
  public static LinearFit of(double[][] rows, int columns) {
    final double[] scales = new double[columns + 1];
    scales[0] = 1;
    for (double[] row : rows) {
      for (int i = 1; i <= columns; i++) {
        scales[i] = Math.max(scales[i], Math.abs(row[i]));
      }
    }
    final double[][] normal = new double[columns + 1][columns + 2];
    for (double[] row : rows) {
      addTo(normal, row, scales);
    }
    final double[] solved = solve(normal);
    for (int i = 0; i <= columns; i++) {
      solved[i] = scales[i] == 0 ? 0 : solved[i] / scales[i];
    }
    return new LinearFit(solved);
  }

  /** A coefficient, the constant is 0; 0 for a column that does not vary. */
  public double coefficient(int index) {
    return coefficients[index];
  }

  /** The model's y for a row whose column 0 is ignored. */
  public double predict(double[] row) {
    double y = coefficients[0];
    for (int i = 1; i < coefficients.length; i++) {
      y += coefficients[i] * row[i];
    }
    return y;
  }

  /** The share of the variance that the model explains; NaN if there is none. */
  public double rSquared(double[][] rows) {
    double mean = 0;
    for (double[] row : rows) {
      mean += row[0] / rows.length;
    }
    double total = 0;
    double rest = 0;
    for (double[] row : rows) {
      final double error = row[0] - predict(row);
      rest += error * error;
      total += (row[0] - mean) * (row[0] - mean);
    }
    return total == 0 ? Double.NaN : 1 - rest / total;
  }

  private static void addTo(double[][] normal, double[] row, double[] scales) {
    final int n = normal.length;
    for (int i = 0; i < n; i++) {
      final double left = i == 0 ? 1 : scaled(row[i], scales[i]);
      for (int j = 0; j < n; j++) {
        normal[i][j] += left * (j == 0 ? 1 : scaled(row[j], scales[j]));
      }
      normal[i][n] += left * row[0];
    }
  }

  private static double scaled(double value, double scale) {
    return scale == 0 ? 0 : value / scale;
  }

  /** Gauss-Jordan with pivots; a column without one gets the coefficient 0. */
  private static double[] solve(double[][] matrix) {
    final int n = matrix.length;
    final double tolerance = SINGULAR * Math.max(1, matrix[0][0]);
    final int[] pivotRow = new int[n];
    int next = 0;
    for (int column = 0; column < n; column++) {
      int best = next;
      for (int row = next; row < n; row++) {
        best = Math.abs(matrix[row][column]) > Math.abs(matrix[best][column]) ? row : best;
      }
      pivotRow[column] = -1;
      if (next < n && Math.abs(matrix[best][column]) > tolerance) {
        final double[] swapped = matrix[next];
        matrix[next] = matrix[best];
        matrix[best] = swapped;
        eliminate(matrix, next, column);
        pivotRow[column] = next++;
      }
    }
    final double[] solution = new double[n];
    for (int column = 0; column < n; column++) {
      solution[column] =
          pivotRow[column] < 0 ? 0 : matrix[pivotRow[column]][n] / matrix[pivotRow[column]][column];
    }
    return solution;
  }

  private static void eliminate(double[][] matrix, int pivot, int column) {
    for (int row = 0; row < matrix.length; row++) {
      if (row != pivot) {
        final double factor = matrix[row][column] / matrix[pivot][column];
        for (int j = column; j < matrix[row].length; j++) {
          matrix[row][j] -= factor * matrix[pivot][j];
        }
      }
    }
  }
}
