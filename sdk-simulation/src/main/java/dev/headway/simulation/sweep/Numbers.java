package dev.headway.simulation.sweep;

import java.math.BigDecimal;
import java.math.MathContext;

/** Numbers as text, the same on every machine. */
final class Numbers {

  private static final double LARGEST_WHOLE = 1e15;

  private Numbers() {}

  /** The shortest text that is read as the same number; whole numbers without a fraction. */
  static String text(double value) {
    return value == Math.rint(value) && Math.abs(value) < LARGEST_WHOLE
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  /** The value with so many significant digits, without an exponent. */
  static String rounded(double value, int digits) {
    return BigDecimal.valueOf(value)
        .round(new MathContext(digits))
        .stripTrailingZeros()
        .toPlainString();
  }
}
