package dev.headway.cli.route;

/** Checks of options. */
final class Ranges {

  private Ranges() {}

  /**
   * Checks a number.
   *
   * @throws IllegalArgumentException if it is out of range
   */
  static void require(String option, double value, double least, double most) {
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
