package dev.headway.simulation.sweep;

import java.math.BigDecimal;
import java.math.MathContext;

/** Numbers as text, the same on every machine. */
final class Numbers {

  private Numbers() {}

  /** The value with so many significant digits, without an exponent. */
  static String rounded(double value, int digits) {
    return BigDecimal.valueOf(value)
        .round(new MathContext(digits))
        .stripTrailingZeros()
        .toPlainString();
  }
}
