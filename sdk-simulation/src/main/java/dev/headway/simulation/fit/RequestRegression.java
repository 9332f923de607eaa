package dev.headway.simulation.fit;

import dev.headway.simulation.fit.FittedTerm.Quality;
import dev.headway.simulation.regression.Coefficient;
import dev.headway.simulation.regression.Coefficient.Status;
import dev.headway.simulation.regression.Feature;
import dev.headway.simulation.regression.FitQuality;
import dev.headway.simulation.regression.Gram;
import dev.headway.simulation.regression.LeastSquares;
import dev.headway.simulation.regression.LeastSquares.Penalty;
import dev.headway.toolbox.stats.Correlation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Times of requests over what is known of them at arrival, fitted in one of the forms. One thread.
 */
final class RequestRegression {

  /** Fewer requests than this, fitted or held out, say too little. */
  static final int FEWEST = 20;

  /** A request: what is known of it, and what it took. */
  static final class Row {
    final double[] features;
    final double targetNs;

    /**
     * Makes a row.
     *
     * @param features 1, and what is known of it; kept
     */
    Row(double[] features, double targetNs) {
      this.features = features;
      this.targetNs = targetNs;
    }
  }

  private static final int BLOCKS = 5;

  private final RequestFeatures features;
  private final RequestForm form;
  private final List<Row> fitted;
  private final double[] scratch;

  private RequestRegression(RequestFeatures features, RequestForm form, List<Row> fitted) {
    this.features = features;
    this.form = form;
    this.fitted = fitted;
    this.scratch = new double[features.columns().length];
  }

  /**
   * Fits rows.
   *
   * @param features of the rows; the first is the constant
   * @param simple so many of them are no products of others
   * @param fitted the earlier rows, in the order of time
   * @param held the later rows, which only test
   * @return {@link FittedTerm#NONE} if there are too few of either
   */
  static FittedTerm fit(
      Feature[] features, int simple, RequestForm form, List<Row> fitted, List<Row> held) {
    if (fitted.size() < FEWEST || held.size() < FEWEST) {
      return FittedTerm.NONE;
    }
    final RequestFeatures columns = new RequestFeatures(features, simple, form);
    return new RequestRegression(columns, form, fitted).fit(held);
  }

  private FittedTerm fit(List<Row> held) {
    final Gram[] blocks = new Gram[BLOCKS];
    for (int block = 0; block < BLOCKS; block++) {
      blocks[block] = gram(begin(block), begin(block + 1));
    }
    final double strength = form.isShrunk() ? strength(blocks) : 0;
    final Gram gram = without(blocks, -1);
    final double[] found = solve(gram, strength);
    final int[] shown = form.isShrunk() ? new int[0] : LeastSquares.independent(gram);
    final List<Coefficient> coefficients =
        coefficients(features.columns(), found, gram, shown, variance(found));
    final Quality quality = quality(held, row -> predicted(found, row));
    return new FittedTerm(form, strength, coefficients, quality);
  }

  private int begin(int block) {
    return (int) ((long) fitted.size() * block / BLOCKS);
  }

  private Gram gram(int from, int to) {
    final Gram gram = new Gram(scratch.length);
    for (Row row : fitted.subList(from, to)) {
      gram.add(features.fill(row.features, scratch), row.targetNs, 1);
    }
    return gram;
  }

  /** All blocks but one. */
  private Gram without(Gram[] blocks, int leftOut) {
    final Gram gram = new Gram(scratch.length);
    for (int block = 0; block < BLOCKS; block++) {
      if (block != leftOut) {
        gram.add(blocks[block]);
      }
    }
    return gram;
  }

  private double[] solve(Gram gram, double strength) {
    return switch (form) {
      case RIDGE -> LeastSquares.ridge(gram, strength);
      case LASSO -> LeastSquares.solve(gram, features.columns(), new Penalty(strength, 0, true));
      case LINEAR, POLYNOMIAL -> LeastSquares.ordinary(gram, LeastSquares.independent(gram));
    };
  }

  /**
   * Each block is predicted from the others: neighbours in time are alike, so that random ones
   * would say too little. The best for ridge; for lasso the strongest within a standard error of
   * it.
   */
  private double strength(Gram[] blocks) {
    final double[] candidates = form == RequestForm.RIDGE ? Tuning.RIDGES : Tuning.LASSOS;
    double taken = candidates[0];
    double least = Double.MAX_VALUE;
    double limit = Double.MAX_VALUE;
    for (double candidate : candidates) {
      final double[] errors = errors(blocks, candidate);
      final double error = Arrays.stream(errors).average().orElseThrow();
      if (error < least) {
        least = error;
        limit = error + standardError(errors, error);
        taken = candidate;
      } else if (form == RequestForm.LASSO && error <= limit) {
        taken = candidate;
      }
    }
    return taken;
  }

  private double[] errors(Gram[] blocks, double strength) {
    final double[] errors = new double[BLOCKS];
    for (int block = 0; block < BLOCKS; block++) {
      final double[] found = solve(without(blocks, block), strength);
      for (Row row : fitted.subList(begin(block), begin(block + 1))) {
        errors[block] += Math.abs(predicted(found, row) - row.targetNs);
      }
      errors[block] /= begin(block + 1) - begin(block);
    }
    return errors;
  }

  private static double standardError(double[] errors, double mean) {
    double squares = 0;
    for (double error : errors) {
      squares += (error - mean) * (error - mean);
    }
    return Math.sqrt(squares / (errors.length - 1) / errors.length);
  }

  private double predicted(double[] found, Row row) {
    return predicted(found, features.fill(row.features, scratch));
  }

  /** How good a prediction is. */
  static Quality quality(List<Row> held, ToDoubleFunction<Row> prediction) {
    return quality(
        held.stream().mapToDouble(prediction).toArray(),
        held.stream().mapToDouble(row -> row.targetNs).toArray());
  }

  /** How good predictions are, in the order of time. */
  static Quality quality(double[] predicted, double[] measured) {
    final FitQuality.Builder quality = new FitQuality.Builder();
    for (int i = 0; i < measured.length; i++) {
      quality.add(predicted[i], measured[i]);
    }
    final FitQuality all = quality.build();
    return new Quality(
        measured.length, all.r2(), all.meanAbsolute(), Correlation.spearman(predicted, measured));
  }

  /** What was found of each feature. */
  static List<Coefficient> coefficients(
      Feature[] features, double[] found, Gram gram, int[] independent, double variance) {
    final double[] errors = LeastSquares.standardErrors(gram, independent, variance);
    final List<Coefficient> result = new ArrayList<>();
    for (int i = 0; i < found.length; i++) {
      Status status = found[i] == 0 ? Status.LEFT_OUT : Status.FITTED;
      status = gram.isSeen(i) ? status : Status.UNSEEN;
      result.add(new Coefficient(features[i], found[i], errors[i], status));
    }
    return result;
  }

  private double variance(double[] found) {
    double sum = 0;
    for (Row row : fitted) {
      final double residual = row.targetNs - dot(found, features.fill(row.features, scratch));
      sum += residual * residual;
    }
    return sum / Math.max(1, fitted.size() - found.length);
  }

  /** A time by its columns, never below 0. */
  static double predicted(double[] found, double[] columns) {
    return Math.max(0, dot(found, columns));
  }

  private static double dot(double[] coefficients, double[] row) {
    double sum = 0;
    for (int i = 0; i < coefficients.length; i++) {
      sum += coefficients[i] * row[i];
    }
    return sum;
  }
}
