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
          refusal(option, between(least, most), option + "=" + text(value)));
    }
  }

  /** What is wrong with an option whose value, as it was {@code written}, is out of its range. */
  static String refusal(String option, String range, String written) {
    return option + " must be " + range + ": " + written;
  }

  /** The range, as in {@code >= 1} or {@code in [1, 1024]}. */
  static String text(InRange range) {
    final boolean isAtMost = range.to() < Double.POSITIVE_INFINITY;
    if (range.below()) {
      return "in "
          + (range.above() ? "(" : "[")
          + text(range.from())
          + ", "
          + text(range.to())
          + ")";
    }
    if (range.above()) {
      return "> " + text(range.from()) + (isAtMost ? " and <= " + text(range.to()) : "");
    }
    return isAtMost ? between(range.from(), range.to()) : ">= " + text(range.from());
  }

  private static String between(double least, double most) {
    return "in [" + text(least) + ", " + text(most) + "]";
  }

  /** Whole numbers in full, but long powers of ten as such. */
  private static String text(double value) {
    if (value != Math.rint(value)) {
      return Double.toString(value);
    }
    final double zeros = Math.log10(value);
    return zeros >= 7 && zeros == Math.rint(zeros)
        ? "1e" + Math.round(zeros)
        : Long.toString((long) value);
  }
}
