package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.regression.Feature;
import dev.headway.simulation.regression.Gram;
import dev.headway.simulation.regression.LeastSquares;
import dev.headway.simulation.regression.LeastSquares.Penalty;
import java.util.Arrays;

/**
 * What a model leaves over, as a factor: a ridge regression of {@code log(measured / predicted)} on
 * logarithms of the step's counts and their products. The factor stays in [0.5, 2], and is 1 for
 * steps larger than those it was fitted on. One thread.
 */
final class ResidualCorrection {

  /** Counts of a step, of which a row is made. */
  static final int BASE = 5;

  static final int COLUMNS = SecondOrder.columns(BASE);
  private static final double LEAST = 0.5;
  private static final double MOST = 2;
  private static final Penalty RIDGE = new Penalty(0, 1e-4, true);

  private final double[] coefficients;
  private final double[] row = new double[COLUMNS];
  private final double[] base = new double[BASE];

  ResidualCorrection(double[] coefficients) {
    this.coefficients = coefficients.clone();
  }

  /** Fits on sums of rows that {@link #fill} made. */
  static ResidualCorrection of(Gram rows) {
    final Feature[] features = new Feature[COLUMNS];
    Arrays.setAll(features, column -> Feature.free("c" + column, ""));
    return new ResidualCorrection(LeastSquares.solve(rows, features, RIDGE));
  }

  static void fill(StepFeatures step, double[] base, double[] into) {
    base[0] = Math.log1p(step.requests());
    base[1] = Math.log1p((double) step.prefillTokens());
    base[2] = Math.log1p((double) step.twicePrefillPairs()) / 2;
    base[3] = Math.log1p((double) step.decodeTokens());
    base[4] = Math.log1p((double) step.decodeContextTokens()) / 2;
    SecondOrder.fill(base, into);
  }

  double factor(StepFeatures step, StepRange range) {
    if (!range.contains(step)) {
      return 1;
    }
    fill(step, base, row);
    double log = 0;
    for (int i = 0; i < COLUMNS; i++) {
      log += coefficients[i] * row[i];
    }
    return Math.clamp(Math.exp(log), LEAST, MOST);
  }

  double[] coefficients() {
    return coefficients.clone();
  }
}
