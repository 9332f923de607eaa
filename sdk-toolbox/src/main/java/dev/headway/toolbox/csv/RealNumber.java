package dev.headway.toolbox.csv;

/** A real number as text, the same on every machine. Stateless. */
public final class RealNumber {

  private static final double LARGEST_WHOLE = 1e15;

  private RealNumber() {}

  /** The shortest text that is read as the same number; whole numbers without a fraction. */
  public static String text(double value) {
    return value == Math.rint(value) && Math.abs(value) < LARGEST_WHOLE
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  /** The same as a cell: empty for {@code NaN}. */
  public static String cell(double value) {
    return Double.isNaN(value) ? "" : text(value);
  }
}
