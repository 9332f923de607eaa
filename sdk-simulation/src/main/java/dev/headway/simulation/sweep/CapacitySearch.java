package dev.headway.simulation.sweep;

import dev.headway.toolbox.csv.RealNumber;

/**
 * Looks in every cell for the largest value of a parameter, a rate as a rule, at which the limits
 * are still met: the least value is tried, the largest, then the geometric mean of the bracket.
 *
 * @param parameter that is searched
 * @param min least value, > 0
 * @param max largest value, > min
 * @param tolerance the search ends when the bracket's ends differ by no more than this share
 */
public record CapacitySearch(String parameter, double min, double max, double tolerance) {

  private static final double LEAST_TOLERANCE = 1e-4;
  private static final int DIGITS = 6;
  private static final double FIRST_STEP = 1.2;

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException naming the one that is out of range
   */
  public CapacitySearch {
    if (!(min > 0 && max > min && max < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "a capacity search must have finite 0 < min < max: min="
              + RealNumber.text(min)
              + ", max="
              + RealNumber.text(max));
    }
    if (!(tolerance >= LEAST_TOLERANCE && tolerance < 1)) {
      throw new IllegalArgumentException(
          "tolerance must be in [0.0001, 1): tolerance=" + RealNumber.text(tolerance));
    }
  }

  /** A search that has tried nothing yet. One thread. */
  public Bracket begin() {
    return new Bracket(Double.NaN);
  }

  /**
   * A search that tries a guess first, then goes away from it in steps that grow, until the limits
   * change sides: two or three runs fewer where the guess is good. One thread.
   *
   * @param guess a value near the one that is looked for; outside [min, max] the nearer end is
   *     tried
   */
  public Bracket beginNear(double guess) {
    return new Bracket(Math.clamp(rounded(guess), min, max));
  }

  private static double rounded(double value) {
    return Double.parseDouble(Numbers.rounded(value, DIGITS));
  }

  /** What is known of one cell: the largest value that met the limits, the least that did not. */
  public final class Bracket {
    private final double guess;
    private double step = FIRST_STEP;
    private double met = Double.NaN;
    private double missed = Double.NaN;

    private Bracket(double guess) {
      this.guess = guess;
    }

    /** The value to try next; NaN when the search is over. */
    public double next() {
      if (!Double.isNaN(guess) && (Double.isNaN(met) || Double.isNaN(missed))) {
        return awayFromGuess();
      }
      if (Double.isNaN(met)) {
        return Double.isNaN(missed) ? min : Double.NaN;
      }
      if (Double.isNaN(missed)) {
        return met < max ? max : Double.NaN;
      }
      final double middle = rounded(Math.sqrt(met * missed));
      return missed / met <= 1 + tolerance || middle <= met || middle >= missed
          ? Double.NaN
          : middle;
    }

    private double awayFromGuess() {
      final boolean isAbove = Double.isNaN(met) || guess > met;
      final boolean isBelow = Double.isNaN(missed) || guess < missed;
      if (isAbove && isBelow) {
        return guess;
      }
      final double next =
          Double.isNaN(missed)
              ? Math.min(max, rounded(met * step))
              : Math.max(min, rounded(missed / step));
      step *= step;
      return next == met || next == missed ? Double.NaN : next;
    }

    /** Notes what came of {@link #next}, or of another value that was tried before. */
    public void tried(double value, boolean isMet) {
      if (isMet) {
        met = value;
      } else {
        missed = value;
      }
    }

    /** The largest value that met the limits; NaN if none did. */
    public double met() {
      return met;
    }

    /** The least value that did not; NaN if all did. */
    public double missed() {
      return missed;
    }
  }
}
