package dev.headway.toolbox.text;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Quotients of whole numbers with six digits after the point. No float is involved. */
public final class Ratio {

  private static final long MICRO = 1_000_000L;
  private static final long LARGEST_FAST = Long.MAX_VALUE / (2 * MICRO) - 1;
  private static final int DIGITS = 6;

  private Ratio() {}

  /** Appends {@code numerator / denominator}, rounded half up; both >= 0, denominator > 0. */
  public static void append(StringBuilder out, long numerator, long denominator) {
    if (numerator < 0 || numerator > LARGEST_FAST || denominator > LARGEST_FAST) {
      out.append(exact(BigDecimal.valueOf(numerator), BigDecimal.valueOf(denominator)));
      return;
    }
    final long micros = (numerator * MICRO + denominator / 2) / denominator;
    out.append(micros / MICRO).append('.');
    final long fraction = micros % MICRO;
    for (long digit = MICRO / 10; digit > 0; digit /= 10) {
      out.append((char) ('0' + fraction / digit % 10));
    }
  }

  /** Returns how many of {@code count} fall on one second if they took {@code durationNs} > 0. */
  public static String perSecond(long count, long durationNs) {
    return exact(BigDecimal.valueOf(count).scaleByPowerOfTen(9), BigDecimal.valueOf(durationNs));
  }

  private static String exact(BigDecimal numerator, BigDecimal denominator) {
    return numerator.divide(denominator, DIGITS, RoundingMode.HALF_UP).toPlainString();
  }
}
