package dev.headway.simulation.fit;

import dev.headway.simulation.regression.Coefficient;
import java.util.List;

/**
 * A term of a request's time, as it was fitted on the first part of the time.
 *
 * @param form what it is made of
 * @param strength of the penalty, as blocks of time that were left out chose it; 0 without one
 * @param coefficients in ns per unit of their features
 * @param quality on later requests
 */
public record FittedTerm(
    RequestForm form, double strength, List<Coefficient> coefficients, Quality quality) {

  /** A term that was not fitted. */
  static final FittedTerm NONE = new FittedTerm(RequestForm.LINEAR, 0, List.of(), Quality.NONE);

  /**
   * How good predictions of a time are.
   *
   * @param requests how many
   * @param r2 share of the variance that is explained
   * @param meanAbsoluteNs mean of the absolute errors
   * @param rankCorrelation Spearman's, of predicted and measured times
   */
  public record Quality(int requests, double r2, double meanAbsoluteNs, double rankCorrelation) {
    static final Quality NONE = new Quality(0, Double.NaN, Double.NaN, Double.NaN);
  }

  /** Copies the list. */
  public FittedTerm {
    coefficients = List.copyOf(coefficients);
  }

  /** Whether there were enough requests. */
  public boolean isFitted() {
    return !coefficients.isEmpty();
  }
}
