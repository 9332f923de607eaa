package dev.headway.simulation.fit;

import dev.headway.simulation.regression.Coefficient;
import dev.headway.simulation.regression.Coefficient.Status;
import dev.headway.simulation.regression.Feature;
import dev.headway.simulation.regression.Gram;
import dev.headway.simulation.regression.LeastSquares;
import dev.headway.simulation.regression.LeastSquares.Penalty;
import dev.headway.toolbox.stats.Quantile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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

  /** Pieces that the rows hardly tell from the operators stay small. */
  private static final Penalty TO_SMOOTH_PIECES = new Penalty(0, 1e-4, false);

  private final Design design;
  private final StepPart part;
  private final FormSettings settings;
  private final StepTimeForm form;
  private final double strength;
  private final double[] balance;

  /**
   * Prepares a fit.
   *
   * @param strength of the penalty of ridge and lasso
   */
  PartFitter(Design design, StepPart part, FormSettings settings, double strength) {
    this.design = design;
    this.part = part;
    this.settings = settings;
    this.form = settings.form();
    this.strength = strength;
    balance = balance();
  }

  private boolean isBounded() {
    return part == StepPart.HOST || form == StepTimeForm.PHYSICS || form == StepTimeForm.PIECEWISE;
  }

  /**
   * Whether a kind of steps counts less for each that there is, so that rare ones have a weight.
   */
  private boolean isBalanced() {
    return part != StepPart.HOST && form == StepTimeForm.PIECEWISE;
  }

  /** Whether rows count equally, whatever their time. */
  private boolean isPlain() {
    return form == StepTimeForm.LINEAR && part != StepPart.HOST;
  }

  FittedPart fit() {
    double[] weights = firstWeights();
    Gram gram = gram(weights);
    double[] found = solve(gram);
    for (int round = 1; round < ROUNDS && !isPlain(); round++) {
      weights = robustWeights(found);
      gram = gram(weights);
      found = solve(gram, found);
    }
    if (isBalanced()) {
      keepMeans(found);
    }
    return fitted(gram, found, weights);
  }

  /**
   * Gives the constants of steps without and with prefill what robust weights have left out, so
   * that all together take as long as they were measured: pauses come again, and a simulation is
   * asked for means. None counts for more than twice its prediction. The terms of physics are left
   * as they are: they mean something, and go to other devices.
   */
  private void keepMeans(double[] found) {
    final int withPrefill = column("with_prefill");
    final double[] sums = new double[2];
    final int[] counts = new int[2];
    for (int row = 0; row < design.size(); row++) {
      final int kind = design.row(row)[withPrefill] > 0 ? 1 : 0;
      final double scale = scale(row, found);
      sums[kind] += Math.clamp(design.target(row) - design.predicted(row, found), -scale, scale);
      counts[kind]++;
    }
    final double usual = counts[0] == 0 ? 0 : sums[0] / counts[0];
    add(found, column("step"), usual);
    if (counts[1] > 0) {
      add(found, withPrefill, sums[1] / counts[1] - usual);
    }
  }

  private void add(double[] found, int column, double ns) {
    found[column] = Math.max(design.features()[column].lowest(), found[column] + ns);
  }

  private int column(String name) {
    final Feature[] features = design.features();
    int column = 0;
    while (!features[column].name().equals(name)) {
      column++;
    }
    return column;
  }

  double[] firstWeights() {
    final double[] weights = new double[design.size()];
    Arrays.setAll(
        weights, row -> isPlain() ? 1 : balance[row] / (design.stepNs(row) * design.stepNs(row)));
    return weights;
  }

  /** One over the root of how many rows of its kind there are; 1 where all count equally. */
  private double[] balance() {
    final double[] balance = new double[design.size()];
    Arrays.fill(balance, 1);
    if (isBalanced()) {
      final Map<Integer, Integer> counts = new HashMap<>();
      for (int row = 0; row < balance.length; row++) {
        counts.merge(design.kind(row), 1, Integer::sum);
      }
      Arrays.setAll(balance, row -> 1 / Math.sqrt(counts.getOrDefault(design.kind(row), 1)));
    }
    return balance;
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
    final double limit = Math.max(LEAST_LIMIT, HUBER * NORMAL * Quantile.upperMedian(sorted));
    final double[] weights = new double[size];
    for (int row = 0; row < size; row++) {
      final double scale = scale(row, coefficients);
      weights[row] =
          balance[row] * Math.min(1, limit / Math.max(errors[row], 1e-12)) / (scale * scale);
    }
    return weights;
  }

  /** What the error of a row is relative to: the prediction, which unlike the time has no noise. */
  private double scale(int row, double[] coefficients) {
    return part == StepPart.HOST
        ? design.stepNs(row)
        : Math.max(design.predicted(row, coefficients), 0.1 * design.stepNs(row));
  }

  private Gram gram(double[] weights) {
    final Gram gram = new Gram(design.features().length);
    for (int row = 0; row < design.size(); row++) {
      gram.add(design.row(row), design.target(row), weights[row]);
    }
    return gram;
  }

  double[] solve(Gram gram) {
    return solve(gram, Arrays.stream(design.features()).mapToDouble(Feature::prior).toArray());
  }

  /** As above, from coefficients of almost the same rows. */
  private double[] solve(Gram gram, double[] near) {
    final Feature[] features = design.features();
    if (isBalanced()) {
      final double[] found = LeastSquares.solve(gram, features, TO_SMOOTH_PIECES, near);
      final Pieces pieces = new Pieces(settings.classes());
      pieces.fillUnseen(found, features.length - pieces.count(), gram::isSeen);
      return found;
    }
    if (isBounded()) {
      return LeastSquares.solve(gram, features, TO_PRIORS, near);
    }
    return switch (form) {
      case RIDGE -> LeastSquares.ridge(gram, strength);
      case LASSO -> LeastSquares.solve(gram, features, new Penalty(strength, 0, true), near);
      default -> LeastSquares.ordinary(gram, LeastSquares.independent(gram));
    };
  }

  private FittedPart fitted(Gram gram, double[] found, double[] weights) {
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
    return new FittedPart(part, settings, coefficients, LeastSquares.conditionNumber(gram, active));
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
