package dev.headway.simulation.fit;

import dev.headway.simulation.regression.Gram;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.hipparchus.linear.Array2DRowRealMatrix;
import org.hipparchus.linear.CholeskyDecomposition;
import org.hipparchus.linear.RealMatrix;

/**
 * How well numbers are known that a {@link SimulationSearch} found: by the curvature of what it
 * made small, and by estimates without a block of time or a run each. These are steps of the linear
 * problem from what was found (the one-step jackknife, Pregibon, Ann. Stat. 9(4), 1981), so they
 * take no simulation. In coordinates of {@link StepNumbers}. Immutable.
 */
final class NumberCertainty {

  private static final int TIME_BLOCKS = 10;
  private static final double SYMMETRY = 1e-9;

  /** A request is in several moments: by time, by length, in all. */
  private static final double MOMENTS_PER_REQUEST = 4;

  private final double[] errors;
  private final double[] told;
  private final double[][] correlations;

  /**
   * Judges what was found.
   *
   * @param fitted by run, the indices of the requests that count, in the order of arrival
   */
  NumberCertainty(SimulationSearch search, List<int[]> fitted) {
    final Gram rows = search.rows(search.all());
    final int size = rows.columns();
    final RealMatrix curvature = new Array2DRowRealMatrix(size, size);
    for (int i = 0; i < size; i++) {
      for (int j = 0; j < size; j++) {
        final double ofPriors = i == j ? 1 : 0;
        curvature.setEntry(i, j, (rows.product(i, j) - ofPriors) / MOMENTS_PER_REQUEST + ofPriors);
      }
    }
    final RealMatrix spread =
        new CholeskyDecomposition(curvature, SYMMETRY, 0).getSolver().getInverse();
    final double[] jackknife = jackknife(search, rows, fitted);
    errors = new double[size];
    told = new double[size];
    correlations = new double[size][size];
    for (int i = 0; i < size; i++) {
      final double variance = spread.getEntry(i, i);
      told[i] = 1 - Math.min(1, variance);
      errors[i] = Math.sqrt(Math.max(variance, jackknife[i]));
      for (int j = 0; j < size; j++) {
        correlations[i][j] = spread.getEntry(i, j) / Math.sqrt(variance * spread.getEntry(j, j));
      }
    }
  }

  /** Variances over what is left out; the larger where both time and runs are. */
  private static double[] jackknife(SimulationSearch search, Gram rows, List<int[]> fitted) {
    final int runs = fitted.size();
    final double[] whole = search.move(rows, 0);
    final List<List<IntPredicate>> blocks = new ArrayList<>();
    for (int block = 0; block < TIME_BLOCKS; block++) {
      final int left = block;
      blocks.add(
          IntStream.range(0, runs)
              .mapToObj(run -> (IntPredicate) index -> blockOf(fitted.get(run), index) != left)
              .toList());
    }
    final double[] variances = variances(search, blocks, whole);
    if (runs > 1) {
      final List<List<IntPredicate>> others = new ArrayList<>();
      for (int left = 0; left < runs; left++) {
        final int without = left;
        others.add(
            IntStream.range(0, runs)
                .mapToObj(run -> (IntPredicate) index -> run != without)
                .toList());
      }
      final double[] ofRuns = variances(search, others, whole);
      for (int i = 0; i < variances.length; i++) {
        variances[i] = Math.max(variances[i], ofRuns[i]);
      }
    }
    return variances;
  }

  private static int blockOf(int[] requests, int index) {
    final int at = Arrays.binarySearch(requests, index);
    return at < 0 ? -1 : (int) ((long) at * TIME_BLOCKS / requests.length);
  }

  private static double[] variances(
      SimulationSearch search, List<List<IntPredicate>> parts, double[] whole) {
    final int size = whole.length;
    final double[][] moves = new double[parts.size()][];
    final double[] mean = new double[size];
    for (int part = 0; part < moves.length; part++) {
      moves[part] = search.move(search.rows(parts.get(part)), 0);
      for (int i = 0; i < size; i++) {
        moves[part][i] -= whole[i];
        mean[i] += moves[part][i] / moves.length;
      }
    }
    final double[] variances = new double[size];
    for (double[] move : moves) {
      for (int i = 0; i < size; i++) {
        final double far = move[i] - mean[i];
        variances[i] += far * far * (moves.length - 1) / moves.length;
      }
    }
    return variances;
  }

  /** Standard errors. */
  double error(int number) {
    return errors[number];
  }

  /** How much of what is known of a number the data tell, in [0, 1]; the rest is its prior. */
  double told(int number) {
    return told[number];
  }

  /** In [-1, 1]; near -1 more of the one and less of the other predict the same. */
  double correlation(int one, int other) {
    return correlations[one][other];
  }
}
