package dev.headway.toolbox.csv;

import java.math.BigDecimal;

/** A real number as text, the same on every machine. Stateless. */
public final class RealNumber {

  private static final double LARGEST_WHOLE = 1e15;

  /** From here on {@link Double#toString} writes an exponent. */
  private static final double LEAST_WITH_EXPONENT = 1e7;

  private RealNumber() {}

  /**
   * The shortest text that is read as the same number; whole numbers without a fraction, and an
   * exponent only from 1e15 on and below 1e-3.
   */
  public static String text(double value) {
    final double size = Math.abs(value);
    if (value == Math.rint(value) && size < LARGEST_WHOLE) {
      return Long.toString((long) value);
    }
    final String shortest = Double.toString(value);
    return size >= LEAST_WITH_EXPONENT && size < LARGEST_WHOLE
        ? new BigDecimal(shortest).toPlainString()
        : shortest;
  }

  /** The same as a cell: empty for {@code NaN}. */
  public static String cell(double value) {
    return Double.isNaN(value) ? "" : text(value);
  }
}
