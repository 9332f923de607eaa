package dev.headway.toolbox.csv;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * A whole number however it is written: {@code 472}, {@code 472.0} as pandas writes a column with a
 * gap, {@code 4.72e2}. Exact; the one reader of integer columns. Stateless.
 */
public final class WholeNumber {
  private static final int MAX_LENGTH = 64;
  private static final int LONG_DIGITS = 19;
  private static final int SAFE_DIGITS = 18;

  private WholeNumber() {}

  /**
   * Reads a number.
   *
   * @param text blanks around it are passed over
   * @return its value, {@code Long.MIN_VALUE} or {@code Long.MAX_VALUE} if it is beyond; null if it
   *     is not a whole number
   */
  public static @Nullable Long clamped(@Nullable String text) {
    final String number = text == null ? "" : text.strip();
    final int sign = number.startsWith("-") ? 1 : 0;
    final boolean isPlain = number.length() > sign && isOf(number, sign, "0123456789");
    if (isPlain && number.length() - sign <= SAFE_DIGITS) {
      return Long.parseLong(number);
    }
    if (isPlain || (number.length() <= MAX_LENGTH && isOf(number, 0, "0123456789+-.eE"))) {
      return clamped(decimal(number));
    }
    return null;
  }

  /**
   * Reads a number that must fit.
   *
   * @throws NumberFormatException if it is not a whole number that fits 64 bits
   */
  public static long parse(String text) {
    final Long value = clamped(text);
    if (value == null || value == Long.MAX_VALUE || value == Long.MIN_VALUE) {
      throw new NumberFormatException("must be a whole number of 64 bits: value=" + text);
    }
    return value;
  }

  /**
   * Reads a number that must fit 32 bits.
   *
   * @throws NumberFormatException if it is not a whole number that fits 32 bits
   */
  public static int parseInt(String text) {
    final long value = parse(text);
    if (value != (int) value) {
      throw new NumberFormatException("must be a whole number of 32 bits: value=" + text);
    }
    return (int) value;
  }

  private static @Nullable BigDecimal decimal(String text) {
    try {
      return new BigDecimal(text);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static @Nullable Long clamped(@Nullable BigDecimal value) {
    if (value == null || value.signum() == 0) {
      return value == null ? null : 0L;
    }
    final BigDecimal shortest = value.stripTrailingZeros();
    if (shortest.scale() > 0) {
      return null;
    }
    final boolean fits = // 1e999999999 is not expanded
        (long) shortest.precision() - shortest.scale() <= LONG_DIGITS
            && shortest.toBigInteger().bitLength() < Long.SIZE;
    if (!fits) {
      return value.signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
    return shortest.longValueExact();
  }

  private static boolean isOf(String text, int from, String characters) {
    for (int i = from; i < text.length(); i++) {
      if (characters.indexOf(text.charAt(i)) < 0) {
        return false;
      }
    }
    return true;
  }
}
