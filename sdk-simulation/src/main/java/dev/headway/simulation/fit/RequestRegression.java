package dev.headway.simulation.fit;

import dev.headway.simulation.fit.FittedTerm.Quality;
import dev.headway.simulation.regression.Coefficient;
import dev.headway.simulation.regression.Coefficient.Status;
import dev.headway.simulation.regression.Correlation;
import dev.headway.simulation.regression.Feature;
import dev.headway.simulation.regression.FitQuality;
import dev.headway.simulation.regression.Gram;
import dev.headway.simulation.regression.LeastSquares;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Times of requests over what is known of them at arrival, by ordinary least squares. Stateless.
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

  private RequestRegression() {}

  /**
   * Fits rows.
   *
   * @param features of the rows; the first is the constant
   * @param fitted the earlier rows
   * @param held the later rows, which only test
   * @return {@link FittedTerm#NONE} if there are too few of either
   */
  static FittedTerm fit(Feature[] features, List<Row> fitted, List<Row> held) {
    if (fitted.size() < FEWEST || held.size() < FEWEST) {
      return FittedTerm.NONE;
    }
    final Gram gram = new Gram(features.length);
    fitted.forEach(row -> gram.add(row.features, row.targetNs, 1));
    final int[] independent = LeastSquares.independent(gram);
    final double[] found = LeastSquares.ordinary(gram, independent);
    return new FittedTerm(
        coefficients(features, found, gram, independent, variance(fitted, found)),
        quality(held, row -> Math.max(0, dot(found, row.features))));
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
        measured.length, all.r2(), all.meanAbsolute(), Correlation.ofRanks(predicted, measured));
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

  private static double variance(List<Row> fitted, double[] found) {
    double sum = 0;
    for (Row row : fitted) {
      final double residual = row.targetNs - dot(found, row.features);
      sum += residual * residual;
    }
    return sum / Math.max(1, fitted.size() - found.length);
  }

  static double dot(double[] coefficients, double[] row) {
    double sum = 0;
    for (int i = 0; i < coefficients.length; i++) {
      sum += coefficients[i] * row[i];
    }
    return sum;
  }
}
