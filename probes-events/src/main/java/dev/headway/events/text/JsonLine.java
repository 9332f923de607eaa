package dev.headway.events.text;

import static dev.headway.api.Absent.ABSENT;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON into a reused buffer: no spaces, a decimal point in every fraction, never an
 * exponent, whatever the locale. An absent figure is {@code null}. Not thread-safe.
 *
 * <p>Methods that end in {@code Item} write an element of a list, the others a member of an object.
 */
public final class JsonLine {

  private static final long MILLI = 1_000_000;
  private static final int MILLI_DIGITS = 6;

  private final StringBuilder out = new StringBuilder(1_024);
  private boolean needsComma;

  /** Begins with nothing. */
  public JsonLine() {}

  /** Forgets what was written and opens an object. */
  public JsonLine begin() {
    out.setLength(0);
    needsComma = false;
    return open('{');
  }

  /** Closes the outermost object; the buffer is valid until {@link #begin}. */
  public StringBuilder end() {
    close('}');
    return out;
  }

  /** A whole number; {@link dev.headway.api.Absent#ABSENT} is null. */
  public JsonLine number(String name, long value) {
    name(name);
    appendNumber(value);
    return this;
  }

  /** Nanoseconds as milliseconds, exact: {@code 12.0}, {@code 0.000417}. */
  public JsonLine millis(String name, long ns) {
    name(name);
    appendDecimal(ns, MILLI, MILLI_DIGITS);
    return this;
  }

  /** Nanoseconds as seconds with six digits, rounded down. */
  public JsonLine unixSeconds(String name, long ns) {
    name(name);
    final long micros = Math.floorDiv(ns, 1_000L);
    out.append(Math.floorDiv(micros, MILLI)).append('.');
    appendPadded(Math.floorMod(micros, MILLI), MILLI_DIGITS);
    return this;
  }

  /** A quotient with six digits; null if there is nothing to divide by. */
  public JsonLine ratio(String name, long numerator, long denominator) {
    name(name);
    if (numerator == ABSENT || denominator <= 0) {
      out.append("null");
    } else {
      Ratio.append(out, numerator, denominator);
    }
    return this;
  }

  /** A fraction in full, with a point; null if it is no number. */
  public JsonLine decimal(String name, double value) {
    name(name);
    if (!Double.isFinite(value)) {
      out.append("null");
    } else {
      final String plain = BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
      out.append(plain).append(plain.indexOf('.') < 0 ? ".0" : "");
    }
    return this;
  }

  /** A string, or null. */
  public JsonLine text(String name, @Nullable String value) {
    name(name);
    appendText(value);
    return this;
  }

  /** {@code true} or {@code false}. */
  public JsonLine flag(String name, boolean value) {
    name(name);
    out.append(value);
    return this;
  }

  /** {@code null}. */
  public JsonLine none(String name) {
    name(name);
    out.append("null");
    return this;
  }

  /** Opens an object. */
  public JsonLine beginObject(String name) {
    name(name);
    return open('{');
  }

  /** Closes an object. */
  public JsonLine endObject() {
    return close('}');
  }

  /** Opens an object in a list. */
  public JsonLine beginObjectItem() {
    comma();
    return open('{');
  }

  /** Opens a list. */
  public JsonLine beginList(String name) {
    name(name);
    return open('[');
  }

  /** Closes a list. */
  public JsonLine endList() {
    return close(']');
  }

  /** A whole number in a list; {@link dev.headway.api.Absent#ABSENT} is null. */
  public JsonLine numberItem(long value) {
    comma();
    appendNumber(value);
    return this;
  }

  /** A string in a list, or null. */
  public JsonLine textItem(@Nullable String value) {
    comma();
    appendText(value);
    return this;
  }

  private JsonLine open(char bracket) {
    out.append(bracket);
    needsComma = false;
    return this;
  }

  private JsonLine close(char bracket) {
    out.append(bracket);
    needsComma = true;
    return this;
  }

  private void name(String name) {
    comma();
    JsonText.appendString(out, name);
    out.append(':');
  }

  private void comma() {
    if (needsComma) {
      out.append(',');
    }
    needsComma = true;
  }

  private void appendNumber(long value) {
    if (value == ABSENT) {
      out.append("null");
    } else {
      out.append(value);
    }
  }

  private void appendText(@Nullable String value) {
    if (value == null) {
      out.append("null");
    } else {
      JsonText.appendString(out, value);
    }
  }

  private void appendDecimal(long value, long unit, int digits) {
    if (value == ABSENT) {
      out.append("null");
      return;
    }
    final long magnitude = Math.abs(value);
    out.append(value < 0 ? "-" : "").append(magnitude / unit).append('.');
    appendPadded(magnitude % unit, digits);
    int last = out.length() - 1;
    while (out.charAt(last) == '0' && out.charAt(last - 1) != '.') {
      last--;
    }
    out.setLength(last + 1);
  }

  private void appendPadded(long value, int digits) {
    final int from = out.length();
    out.append(value);
    out.insert(from, "0".repeat(digits - (out.length() - from)));
  }
}
