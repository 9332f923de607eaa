package dev.headway.toolbox.text;

import static dev.headway.toolbox.text.Absence.ABSENT;

import java.math.BigDecimal;
import java.util.Collection;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON on one line into a reused buffer. Pure ASCII: everything else is escaped, half
 * surrogate pairs included, so a value survives any encoding and terminal; no spaces; the same
 * whatever the locale. Not thread-safe.
 *
 * <p>{@code put} leaves out what is absent, for objects whose members vary. The other methods write
 * {@code null} for it, a decimal point in every fraction and never an exponent, for lines that all
 * have the same members. Those that end in {@code Item} write an element of a list.
 */
public final class JsonText {

  private static final long MILLI = 1_000_000;
  private static final int MILLI_DIGITS = 6;
  private static final String HEX = "0123456789abcdef";
  private static final int HEX_DIGITS = 16;

  private final StringBuilder out = new StringBuilder(1_024);
  private final char[] hex = new char[1 + HEX_DIGITS + 1];
  private boolean needsComma;

  /** Begins with nothing. */
  public JsonText() {
    hex[0] = '"';
    hex[1 + HEX_DIGITS] = '"';
  }

  /** Forgets what was written and opens an object. */
  public JsonText begin() {
    out.setLength(0);
    needsComma = false;
    return open('{');
  }

  /** Closes the outermost object and returns it. */
  public String end() {
    return endInBuffer().toString();
  }

  /** Closes the outermost object; the buffer is valid until {@link #begin}. */
  public StringBuilder endInBuffer() {
    close('}');
    return out;
  }

  /** A whole number; one that is absent is left out. */
  public JsonText put(String name, long value) {
    return value == ABSENT ? this : number(name, value);
  }

  /** A string; null is left out. */
  public JsonText put(String name, @Nullable String value) {
    return value == null ? this : text(name, value);
  }

  /** {@code true} or {@code false}. */
  public JsonText put(String name, boolean value) {
    return flag(name, value);
  }

  /** A number, as Java writes it; one that JSON has no word for becomes a string. */
  public JsonText put(String name, double value) {
    if (!Double.isFinite(value)) {
      return text(name, Double.toString(value));
    }
    name(name);
    out.append(value);
    return this;
  }

  /** One number as 16 hexadecimal digits, since JSON numbers do not hold 64 bits. */
  public JsonText putHex(String name, long value) {
    name(name);
    appendHex(value);
    return this;
  }

  /** Numbers as strings of 16 hexadecimal digits. */
  public JsonText putHex(String name, long[] values, int count) {
    beginList(name);
    for (int i = 0; i < count; i++) {
      comma();
      appendHex(values[i]);
    }
    return endList();
  }

  /** A whole number; one that is absent is null. */
  public JsonText number(String name, long value) {
    name(name);
    appendNumber(value);
    return this;
  }

  /** Nanoseconds as milliseconds, exact: {@code 12.0}, {@code 0.000417}. */
  public JsonText millis(String name, long ns) {
    name(name);
    appendDecimal(ns, MILLI, MILLI_DIGITS);
    return this;
  }

  /** Nanoseconds as seconds with six digits, rounded down. */
  public JsonText unixSeconds(String name, long ns) {
    name(name);
    final long micros = Math.floorDiv(ns, 1_000L);
    out.append(Math.floorDiv(micros, MILLI)).append('.');
    appendPadded(Math.floorMod(micros, MILLI), MILLI_DIGITS);
    return this;
  }

  /** A quotient with six digits; null if there is nothing to divide by. */
  public JsonText ratio(String name, long numerator, long denominator) {
    name(name);
    if (numerator == ABSENT || denominator <= 0) {
      out.append("null");
    } else {
      Ratio.append(out, numerator, denominator);
    }
    return this;
  }

  /** A fraction in full, with a point; null if it is no number. */
  public JsonText decimal(String name, double value) {
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
  public JsonText text(String name, @Nullable String value) {
    name(name);
    appendText(value);
    return this;
  }

  /** {@code true} or {@code false}. */
  public JsonText flag(String name, boolean value) {
    name(name);
    out.append(value);
    return this;
  }

  /** {@code null}. */
  public JsonText none(String name) {
    name(name);
    out.append("null");
    return this;
  }

  /** Opens an object. */
  public JsonText beginObject(String name) {
    name(name);
    return open('{');
  }

  /** Closes an object. */
  public JsonText endObject() {
    return close('}');
  }

  /** Opens an object in a list. */
  public JsonText beginObjectItem() {
    comma();
    return open('{');
  }

  /** Opens a list. */
  public JsonText beginList(String name) {
    name(name);
    return open('[');
  }

  /** Closes a list. */
  public JsonText endList() {
    return close(']');
  }

  /** A whole number in a list; one that is absent is null. */
  public JsonText numberItem(long value) {
    comma();
    appendNumber(value);
    return this;
  }

  /** A string in a list, or null. */
  public JsonText textItem(@Nullable String value) {
    comma();
    appendText(value);
    return this;
  }

  /** Returns a JSON list of strings, or null if there are none. */
  public static @Nullable String list(Collection<String> values) {
    if (values.isEmpty()) {
      return null;
    }
    final StringBuilder list = new StringBuilder("[");
    for (String value : values) {
      list.append(list.length() == 1 ? "" : ",");
      appendString(list, value);
    }
    return list.append(']').toString();
  }

  /** Appends a quoted and escaped string. */
  public static void appendString(StringBuilder out, String value) {
    out.append('"');
    int plain = 0; // up to here it is written
    for (int i = 0; i < value.length(); i++) {
      final char c = value.charAt(i);
      if (c < 0x20 || c >= 0x7F || c == '"' || c == '\\') {
        out.append(value, plain, i);
        appendEscape(out, c);
        plain = i + 1;
      }
    }
    out.append(value, plain, value.length()).append('"');
  }

  private static void appendEscape(StringBuilder out, char c) {
    if (c == '"' || c == '\\') {
      out.append('\\').append(c);
    } else {
      out.append("\\u").append(HexFormat.of().toHexDigits(c));
    }
  }

  private void appendHex(long value) {
    for (int i = 0; i < HEX_DIGITS; i++) {
      hex[1 + i] = HEX.charAt((int) (value >>> (60 - 4 * i)) & 0xF);
    }
    out.append(hex);
  }

  private JsonText open(char bracket) {
    out.append(bracket);
    needsComma = false;
    return this;
  }

  private JsonText close(char bracket) {
    out.append(bracket);
    needsComma = true;
    return this;
  }

  private void name(String name) {
    comma();
    appendString(out, name);
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
      appendString(out, value);
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
