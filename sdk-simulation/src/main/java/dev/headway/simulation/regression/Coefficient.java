package dev.headway.simulation.regression;

/**
 * A fitted coefficient.
 *
 * @param feature the column it belongs to
 * @param value as fitted; the prior where no row has anything of the column
 * @param standardError NaN if it is at its bound, was not seen or was shrunk
 * @param status how it came about
 */
public record Coefficient(Feature feature, double value, double standardError, Status status) {

  /** Two standard errors and a bit: 95 % of a normal distribution. */
  private static final double NORMAL_95 = 1.959964;

  /** How a coefficient came about. */
  public enum Status {
    /** From the rows. */
    FITTED("fitted"),
    /** The rows would have it beyond its bound. */
    AT_BOUND("at bound"),
    /** No row has anything of the column: the prior. */
    UNSEEN("unseen"),
    /** The rows say less of it than what is known without them. */
    PRIOR("prior"),
    /** The column is a sum of columns before it, or the penalty left it out. */
    LEFT_OUT("left out");

    private final String label;

    Status(String label) {
      this.label = label;
    }

    /** In files. */
    public String label() {
      return label;
    }
  }

  /** Lower end of the interval with 95 % confidence. */
  public double low95() {
    return value - NORMAL_95 * standardError;
  }

  /** Upper end of the interval with 95 % confidence. */
  public double high95() {
    return value + NORMAL_95 * standardError;
  }
}
