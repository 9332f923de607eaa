package dev.headway.simulation.fit;

import dev.headway.simulation.regression.Coefficient;
import dev.headway.simulation.regression.Coefficient.Status;
import dev.headway.simulation.regression.Feature;
import dev.headway.simulation.regression.Gram;
import dev.headway.simulation.regression.LeastSquares;
import dev.headway.simulation.regression.LeastSquares.Penalty;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Fits one part of the step time. Errors count relative to the step, since the weight of a row is
 * one over the square of its predicted time: 3 ms decodes count as much as 300 ms prefills. Rows
 * far off the others count less (Huber, Ann. Math. Stat. 35(1), 1964): a machine that stood still
 * says nothing of a step. The exception is {@link StepTimeForm#LINEAR}, which is ordinary least
 * squares of times.
 */
final class PartFitter {

  private static final int ROUNDS = 5;
  private static final double HUBER = 1.345;
  private static final double NORMAL = 1.4826;

  /** Errors up to this are the model's own, and never a machine that stood still. */
  private static final double LEAST_LIMIT = 0.1;

  private static final Penalty TO_PRIORS = new Penalty(0, 1e-5, false);

  private final Design design;
  private final StepPart part;
  private final StepTimeForm form;
  private final double strength;

  /**
   * Prepares a fit.
   *
   * @param strength of the penalty of ridge and lasso
   */
  PartFitter(Design design, StepPart part, StepTimeForm form, double strength) {
    this.design = design;
    this.part = part;
    this.form = form;
    this.strength = strength;
  }

  private boolean isBounded() {
    return part == StepPart.HOST || form == StepTimeForm.PHYSICS;
  }

  /** Whether rows count equally, whatever their time. */
  private boolean isPlain() {
    return form == StepTimeForm.LINEAR && part != StepPart.HOST;
  }

  FittedPart fit(double sharpness) {
    double[] weights = firstWeights();
    Gram gram = gram(weights, 0, design.size());
    double[] found = solve(gram);
    for (int round = 1; round < ROUNDS && !isPlain(); round++) {
      weights = robustWeights(found);
      gram = gram(weights, 0, design.size());
      found = solve(gram);
    }
    return fitted(gram, found, weights, sharpness);
  }

  private double[] firstWeights() {
    final double[] weights = new double[design.size()];
    Arrays.setAll(weights, row -> isPlain() ? 1 : 1 / (design.stepNs(row) * design.stepNs(row)));
    return weights;
  }

  private double[] robustWeights(double[] coefficients) {
    final int size = design.size();
    final double[] errors = new double[size];
    final double[] sorted = new double[size];
    for (int row = 0; row < size; row++) {
      errors[row] =
          Math.abs(design.predicted(row, coefficients) - design.target(row))
              / scale(row, coefficients);
      sorted[row] = errors[row];
    }
    Arrays.sort(sorted);
    final double limit = Math.max(LEAST_LIMIT, HUBER * NORMAL * sorted[size / 2]);
    final double[] weights = new double[size];
    for (int row = 0; row < size; row++) {
      final double scale = scale(row, coefficients);
      weights[row] = Math.min(1, limit / Math.max(errors[row], 1e-12)) / (scale * scale);
    }
    return weights;
  }

  /** What the error of a row is relative to: the prediction, which unlike the time has no noise. */
  private double scale(int row, double[] coefficients) {
    return part == StepPart.HOST
        ? design.stepNs(row)
        : Math.max(design.predicted(row, coefficients), 0.1 * design.stepNs(row));
  }

  Gram gram(double[] weights, int from, int to) {
    final Gram gram = new Gram(design.features().length);
    for (int row = from; row < to; row++) {
      gram.add(design.row(row), design.target(row), weights[row]);
    }
    return gram;
  }

  double[] solve(Gram gram) {
    final Feature[] features = design.features();
    if (isBounded()) {
      return LeastSquares.solve(gram, features, TO_PRIORS);
    }
    return switch (form) {
      case RIDGE -> LeastSquares.ridge(gram, strength);
      case LASSO -> LeastSquares.solve(gram, features, new Penalty(strength, 0, true));
      default -> LeastSquares.ordinary(gram, LeastSquares.independent(gram));
    };
  }

  private FittedPart fitted(Gram gram, double[] found, double[] weights, double sharpness) {
    final Feature[] features = design.features();
    final Status[] statuses = statuses(gram, found);
    final int[] active = fittedOf(statuses, LeastSquares.independent(gram));
    final double[] errors =
        LeastSquares.standardErrors(gram, active, variance(found, weights, active.length));
    final boolean isShrunk =
        !isBounded() && form != StepTimeForm.LINEAR && form != StepTimeForm.POLYNOMIAL;
    final List<Coefficient> coefficients = new ArrayList<>();
    for (int i = 0; i < features.length; i++) {
      coefficients.add(
          new Coefficient(features[i], found[i], isShrunk ? Double.NaN : errors[i], statuses[i]));
    }
    return new FittedPart(
        part, form, sharpness, coefficients, LeastSquares.conditionNumber(gram, active));
  }

  private Status[] statuses(Gram gram, double[] found) {
    final Feature[] features = design.features();
    final Status[] statuses = new Status[features.length];
    for (int i = 0; i < features.length; i++) {
      if (!gram.isSeen(i)) {
        statuses[i] = Status.UNSEEN;
      } else if (features[i].lowest() > Double.NEGATIVE_INFINITY
          && found[i] <= features[i].lowest()) {
        statuses[i] = Status.AT_BOUND;
      } else {
        statuses[i] = found[i] == 0 ? Status.LEFT_OUT : Status.FITTED;
      }
    }
    return statuses;
  }

  private static int[] fittedOf(Status[] statuses, int[] independent) {
    return Arrays.stream(independent).filter(i -> statuses[i] == Status.FITTED).toArray();
  }

  private double variance(double[] found, double[] weights, int coefficients) {
    double sum = 0;
    for (int row = 0; row < design.size(); row++) {
      final double residual = design.target(row) - design.predicted(row, found);
      sum += weights[row] * residual * residual;
    }
    return sum / Math.max(1, design.size() - coefficients);
  }
}
