package dev.headway.simulation.sweep;

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

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException naming the one that is out of range
   */
  public CapacitySearch {
    if (!(min > 0 && max > min && max < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "a capacity search must have finite 0 < min < max: min="
              + Numbers.text(min)
              + ", max="
              + Numbers.text(max));
    }
    if (!(tolerance >= LEAST_TOLERANCE && tolerance < 1)) {
      throw new IllegalArgumentException(
          "tolerance must be in [0.0001, 1): tolerance=" + Numbers.text(tolerance));
    }
  }

  /** A search that has tried nothing yet. One thread. */
  public Bracket begin() {
    return new Bracket();
  }

  /** What is known of one cell: the largest value that met the limits, the least that did not. */
  public final class Bracket {
    private static final int DIGITS = 6;

    private double met = Double.NaN;
    private double missed = Double.NaN;

    private Bracket() {}

    /** The value to try next; NaN when the search is over. */
    public double next() {
      if (Double.isNaN(met)) {
        return Double.isNaN(missed) ? min : Double.NaN;
      }
      if (Double.isNaN(missed)) {
        return met < max ? max : Double.NaN;
      }
      final double middle = Double.parseDouble(Numbers.rounded(Math.sqrt(met * missed), DIGITS));
      return missed / met <= 1 + tolerance || middle <= met || middle >= missed
          ? Double.NaN
          : middle;
    }

    /** Notes what came of {@link #next}. */
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
