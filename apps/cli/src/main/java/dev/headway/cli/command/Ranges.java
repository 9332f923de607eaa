package dev.headway.cli.command;

/** Checks of options. Stateless. */
public final class Ranges {

  private Ranges() {}

  /**
   * Checks a number.
   *
   * @throws IllegalArgumentException if it is out of range
   */
  public static void require(String option, double value, double least, double most) {
    if (!(value >= least && value <= most)) {
      throw new IllegalArgumentException(
          option
              + " must be in ["
              + text(least)
              + ", "
              + text(most)
              + "]: "
              + option
              + "="
              + text(value));
    }
  }

  private static String text(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }
}
