package dev.headway.simulation.regression;

import dev.headway.simulation.regression.LeastSquares.Penalty;
import java.util.Arrays;
import org.hipparchus.exception.MathRuntimeException;
import org.hipparchus.linear.Array2DRowRealMatrix;
import org.hipparchus.linear.RealMatrix;

/**
 * Moves the coefficients that neither a bound nor a penalty holds to where they are best together,
 * the others staying, and holds those that meet a bound on the way: an active-set method (Nocedal,
 * Wright, Numerical Optimization, 2nd ed., 16.5). Coordinate descent takes thousands of sweeps for
 * that where columns are alike.
 *
 * <p>Confined to one solution.
 */
final class FreeCoefficients {

  /**
   * Of a column's own product, what holds its coefficient where it is: without it, columns that are
   * sums of others would have no best place.
   */
  private static final double DAMPING = 1e-12;

  private final Gram rows;
  private final double[][] products;
  private final Feature[] features;
  private final Penalty penalty;

  /** The free ones of the latest move. */
  private int[] moved = {};

  FreeCoefficients(Gram rows, double[][] products, Feature[] features, Penalty penalty) {
    this.rows = rows;
    this.products = products;
    this.features = features;
    this.penalty = penalty;
  }

  /** Moves them in {@code solution}, unless the same ones were moved last. */
  void move(double[] solution) {
    for (int[] free = free(solution); !Arrays.equals(free, moved); free = free(solution)) {
      moved = free;
      go(free, best(free, solution), solution);
    }
  }

  private int[] free(double[] solution) {
    final int[] free = new int[solution.length];
    int count = 0;
    for (int i = 0; i < solution.length; i++) {
      if (products[i][i] > 0
          && solution[i] > features[i].lowest()
          && (penalty.pull(i) * penalty.l1() == 0 || solution[i] != features[i].prior())) {
        free[count++] = i;
      }
    }
    return Arrays.copyOf(free, count);
  }

  /** Where they are best, by the least damping that leaves the columns apart. */
  private double[] best(int[] free, double[] solution) {
    double damping = DAMPING;
    while (true) {
      try {
        return best(free, solution, damping);
      } catch (MathRuntimeException e) {
        if (damping >= 1) {
          throw e;
        }
        damping *= 1_000; // sums over many rows are rounded
      }
    }
  }

  private double[] best(int[] free, double[] solution, double damping) {
    final double[] scales = new double[free.length];
    final double[] targets = new double[free.length];
    final RealMatrix matrix = new Array2DRowRealMatrix(free.length, free.length);
    for (int a = 0; a < free.length; a++) {
      final int i = free[a];
      scales[a] = Math.sqrt(products[i][i]);
      for (int b = 0; b <= a; b++) {
        final double value = products[i][free[b]] / (scales[a] * scales[b]);
        matrix.setEntry(a, b, value);
        matrix.setEntry(b, a, value);
      }
      matrix.addToEntry(a, a, penalty.pull(i) * penalty.l2() + damping);
      targets[a] = target(i, free, solution) / scales[a] + damping * scales[a] * solution[i];
    }
    return LeastSquares.solve(matrix, targets, scales);
  }

  /** What the free ones have to make up for. */
  private double target(int i, int[] free, double[] solution) {
    final Feature feature = features[i];
    final double side = Math.signum(solution[i] - feature.prior());
    double target =
        rows.target(i)
            + penalty.pull(i)
                * products[i][i]
                * (penalty.l2() * feature.prior() - penalty.l1() * side);
    for (int j = 0, a = 0; j < solution.length; j++) {
      if (a < free.length && free[a] == j) {
        a++;
      } else {
        target -= products[i][j] * solution[j];
      }
    }
    return target;
  }

  /** Goes there, or as far as to the first bound or prior. */
  private void go(int[] free, double[] best, double[] solution) {
    double share = 1;
    int met = -1;
    double stop = 0;
    for (int a = 0; a < free.length; a++) {
      final double from = solution[free[a]];
      final double end = end(free[a], from, best[a]);
      if (end != best[a] && (end - from) / (best[a] - from) < share) {
        share = (end - from) / (best[a] - from);
        met = free[a];
        stop = end;
      }
    }
    for (int a = 0; a < free.length; a++) {
      final double from = solution[free[a]];
      final double there = met < 0 ? best[a] : from + share * (best[a] - from);
      solution[free[a]] = Math.max(features[free[a]].lowest(), there);
    }
    if (met >= 0) {
      solution[met] = stop;
    }
  }

  /** How far a coefficient may go from one value to another. */
  private double end(int i, double from, double to) {
    final double prior = features[i].prior();
    final boolean crosses =
        penalty.pull(i) * penalty.l1() > 0 && Math.signum(from - prior) != Math.signum(to - prior);
    return Math.max(features[i].lowest(), crosses ? prior : to);
  }
}
