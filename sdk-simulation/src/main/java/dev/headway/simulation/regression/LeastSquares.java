package dev.headway.simulation.regression;

import java.util.Arrays;
import org.hipparchus.linear.Array2DRowRealMatrix;
import org.hipparchus.linear.ArrayRealVector;
import org.hipparchus.linear.CholeskyDecomposition;
import org.hipparchus.linear.EigenDecompositionSymmetric;
import org.hipparchus.linear.RealMatrix;
import org.hipparchus.linear.RealVector;

/**
 * Least squares over a {@link Gram}.
 *
 * <p>The bounded and penalised problem, {@code min sum_i w_i (x_i c - y_i)^2 + sum_j d_j (l2 (c_j -
 * p_j)^2 + 2 l1 |c_j - p_j|)} with {@code c_j >= b_j}, is solved by coordinate descent on the
 * normal equations, each step projected onto its bound (Friedman, Hastie, Tibshirani, J. Stat.
 * Softw. 33(1), 2010, with bounds), and the {@link FreeCoefficients} at once in between. It is
 * convex and its bounds are separable, so this ends at the minimum. {@code d_j} is what the rows
 * say of a column, so that penalties do not depend on units.
 *
 * <p>Stateless.
 */
public final class LeastSquares {

  /** Of the largest eigenvalue: what is below it is rounding. */
  private static final double SINGULAR = 1e-13;

  private static final int MOST_SWEEPS = 20_000;
  private static final int SWEEPS_PER_MOVE = 4;
  private static final double TOLERANCE = 1e-11;

  /** What sweeps change where the free ones are best already is rounding, or of the held ones. */
  private static final double MOVED_TOLERANCE = 1e-8;

  /** Columns of which less than this is their own are taken for sums of others. */
  private static final double DEPENDENT = 1e-10;

  /** So that a constant without rows has a solution too. */
  private static final double LEAST_RIDGE = 1e-12;

  private static final double SYMMETRY = 1e-9;

  private LeastSquares() {}

  /**
   * How coefficients are held back.
   *
   * @param l1 pull that leaves some of them at their priors, >= 0
   * @param l2 pull that makes all of them smaller, >= 0
   * @param firstIsFree whether the first column, the constant, is spared
   */
  public record Penalty(double l1, double l2, boolean firstIsFree) {
    /** None. */
    public static final Penalty NONE = new Penalty(0, 0, true);

    /** How much of it a column gets: all, or nothing where it is spared. */
    double pull(int column) {
      return column == 0 && firstIsFree ? 0 : 1;
    }
  }

  /**
   * The coefficients of the columns with bounds and priors.
   *
   * @param features the columns
   * @param penalty towards the priors
   * @return one per column; the prior where no row has anything
   */
  public static double[] solve(Gram rows, Feature[] features, Penalty penalty) {
    return solve(rows, features, penalty, priors(features));
  }

  /**
   * As above, from coefficients that are near.
   *
   * @param start one per column, e.g. of almost the same rows; not changed
   */
  public static double[] solve(Gram rows, Feature[] features, Penalty penalty, double[] start) {
    final int size = features.length;
    final double[][] products = products(rows);
    final double[] solution = priors(features);
    for (int i = 0; i < size; i++) {
      solution[i] = products[i][i] > 0 ? start[i] : solution[i];
    }
    final FreeCoefficients free = new FreeCoefficients(rows, products, features, penalty);
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
      double change = 0;
      for (int i = 0; i < size; i++) {
        if (products[i][i] > 0) {
          final double next = next(rows.target(i), products[i], features[i], i, solution, penalty);
          change = Math.max(change, Math.abs(next - solution[i]) / Math.max(1, Math.abs(next)));
          solution[i] = next;
        }
      }
      if (change < (sweep < SWEEPS_PER_MOVE ? TOLERANCE : MOVED_TOLERANCE)) {
        break;
      }
      if (sweep % SWEEPS_PER_MOVE == SWEEPS_PER_MOVE - 1) {
        free.move(solution);
      }
    }
    return solution;
  }

  private static double[] priors(Feature[] features) {
    return Arrays.stream(features).mapToDouble(Feature::prior).toArray();
  }

  private static double[][] products(Gram rows) {
    final double[][] products = new double[rows.columns()][rows.columns()];
    for (int i = 0; i < products.length; i++) {
      for (int j = 0; j < products.length; j++) {
        products[i][j] = rows.product(i, j);
      }
    }
    return products;
  }

  private static double next(
      double target,
      double[] products,
      Feature feature,
      int i,
      double[] solution,
      Penalty penalty) {
    final double pull = penalty.pull(i);
    final double own = products[i];
    double rest = target - own * (feature.prior() - solution[i]); // in distances from the prior
    for (int j = 0; j < solution.length; j++) {
      rest -= products[j] * solution[j];
    }
    final double shrunk =
        Math.signum(rest) * Math.max(0, Math.abs(rest) - pull * own * penalty.l1());
    final double distance = shrunk / (own * (1 + pull * penalty.l2()));
    return Math.max(feature.lowest(), feature.prior() + distance);
  }

  /**
   * Columns that are no sum of columns before them, in their order. Fits of the others have no
   * single answer.
   */
  public static int[] independent(Gram rows) {
    final int size = rows.columns();
    final double[][] factor = new double[size][];
    final int[] kept = new int[size];
    int count = 0;
    for (int i = 0; i < size; i++) {
      final double[] row = new double[count + 1];
      double own = rows.product(i, i);
      for (int k = 0; k < count; k++) {
        double sum = rows.product(i, kept[k]);
        for (int m = 0; m < k; m++) {
          sum -= row[m] * factor[k][m];
        }
        row[k] = sum / factor[k][k];
        own -= row[k] * row[k];
      }
      if (own > DEPENDENT * rows.product(i, i)) {
        row[count] = Math.sqrt(own);
        factor[count] = row;
        kept[count++] = i;
      }
    }
    return Arrays.copyOf(kept, count);
  }

  /** {@code X'WX} of some columns with each scaled to 1, taken apart. */
  private static EigenDecompositionSymmetric scaled(Gram rows, int[] columns) {
    final RealMatrix matrix = new Array2DRowRealMatrix(columns.length, columns.length);
    for (int i = 0; i < columns.length; i++) {
      for (int j = 0; j < columns.length; j++) {
        final double scale =
            Math.sqrt(rows.product(columns[i], columns[i]) * rows.product(columns[j], columns[j]));
        matrix.setEntry(i, j, rows.product(columns[i], columns[j]) / scale);
      }
    }
    return new EigenDecompositionSymmetric(matrix);
  }

  /**
   * The ordinary solution for some columns.
   *
   * @param columns independent of each other
   * @return one coefficient per column of the rows; 0 for the others
   */
  public static double[] ordinary(Gram rows, int[] columns) {
    final double[] solution = new double[rows.columns()];
    if (columns.length == 0) {
      return solution;
    }
    final double[] scaledTargets = new double[columns.length];
    for (int i = 0; i < columns.length; i++) {
      scaledTargets[i] = rows.target(columns[i]) / Math.sqrt(rows.product(columns[i], columns[i]));
    }
    final double[] found = solve(scaled(rows, columns), scaledTargets);
    for (int i = 0; i < columns.length; i++) {
      solution[columns[i]] = found[i] / Math.sqrt(rows.product(columns[i], columns[i]));
    }
    return solution;
  }

  /**
   * The solution that is held back by the squares of the coefficients, all but the first, each in
   * the scale of its column (Hoerl, Kennard, Technometrics 12(1), 1970).
   *
   * @param l2 how strongly, > 0
   */
  public static double[] ridge(Gram rows, double l2) {
    final int size = rows.columns();
    final RealMatrix matrix = new Array2DRowRealMatrix(size, size);
    final double[] scales = new double[size];
    final double[] scaledTargets = new double[size];
    for (int i = 0; i < size; i++) {
      scales[i] = rows.isSeen(i) ? Math.sqrt(rows.product(i, i)) : 1;
      scaledTargets[i] = rows.target(i) / scales[i];
      for (int j = 0; j <= i; j++) {
        final double value = rows.product(i, j) / (scales[i] * scales[j]);
        matrix.setEntry(i, j, value);
        matrix.setEntry(j, i, value);
      }
      matrix.addToEntry(i, i, i == 0 ? LEAST_RIDGE : l2);
    }
    return solve(matrix, scaledTargets, scales);
  }

  /**
   * The solution of normal equations of scaled columns, in the units of the columns.
   *
   * @throws org.hipparchus.exception.MathRuntimeException if the matrix is not positive definite
   */
  static double[] solve(RealMatrix matrix, double[] scaledTargets, double[] scales) {
    final double[] solution =
        new CholeskyDecomposition(matrix, SYMMETRY, 0)
            .getSolver()
            .solve(new ArrayRealVector(scaledTargets))
            .toArray();
    for (int i = 0; i < solution.length; i++) {
      solution[i] /= scales[i];
    }
    return solution;
  }

  /**
   * The standard errors of coefficients, if the weighted residuals have this variance.
   *
   * @param columns independent of each other and not at a bound
   * @return one per column of the rows; NaN for the others
   */
  public static double[] standardErrors(Gram rows, int[] columns, double variance) {
    final double[] errors = new double[rows.columns()];
    Arrays.fill(errors, Double.NaN);
    if (columns.length == 0) {
      return errors;
    }
    final EigenDecompositionSymmetric parts = scaled(rows, columns);
    for (int i = 0; i < columns.length; i++) {
      final double own = rows.product(columns[i], columns[i]);
      errors[columns[i]] = Math.sqrt(variance * inverseAt(parts, i) / own);
    }
    return errors;
  }

  /** A solution without what the columns, numerically, have no direction for. */
  private static double[] solve(EigenDecompositionSymmetric parts, double[] targets) {
    final double least = SINGULAR * most(parts);
    final double[] solution = new double[targets.length];
    for (int k = 0; k < targets.length; k++) {
      final double value = parts.getEigenvalue(k);
      if (value > least) {
        final RealVector direction = parts.getEigenvector(k);
        final double along = direction.dotProduct(new ArrayRealVector(targets, false)) / value;
        for (int i = 0; i < solution.length; i++) {
          solution[i] += along * direction.getEntry(i);
        }
      }
    }
    return solution;
  }

  /** The i-th on the diagonal of the inverse: large where columns can hardly be distinguished. */
  private static double inverseAt(EigenDecompositionSymmetric parts, int i) {
    final double least = SINGULAR * most(parts);
    double sum = 0;
    for (int k = 0; k < parts.getEigenvalues().length; k++) {
      final double along = parts.getEigenvector(k).getEntry(i);
      sum += along * along / Math.max(least, parts.getEigenvalue(k));
    }
    return sum;
  }

  private static double most(EigenDecompositionSymmetric parts) {
    return Arrays.stream(parts.getEigenvalues()).max().orElse(1);
  }

  /**
   * The condition number of the columns, each scaled to length 1 (Belsley, Kuh, Welsch, 1980):
   * above 30 their coefficients can hardly be distinguished.
   *
   * @param columns independent of each other
   */
  public static double conditionNumber(Gram rows, int[] columns) {
    if (columns.length == 0) {
      return 1;
    }
    final double[] values = scaled(rows, columns).getEigenvalues();
    double least = Double.MAX_VALUE;
    double most = 0;
    for (double value : values) {
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    return Math.sqrt(most / Math.max(least, Double.MIN_NORMAL));
  }
}
