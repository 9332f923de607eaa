package dev.headway.events.text;

import static dev.headway.api.Absent.ABSENT;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Writes small JSON values on one line into a reused buffer. Pure ASCII: everything else is
 * escaped, half surrogate pairs included, so a value survives any encoding and terminal. Not
 * thread-safe.
 */
public final class JsonText {

  private static final String HEX = "0123456789abcdef";

  private final StringBuilder out = new StringBuilder(256);
  private boolean needsComma;

  /** Begins with nothing. */
  public JsonText() {}

  /** Forgets what was written and opens an object. */
  public JsonText begin() {
    out.setLength(0);
    out.append('{');
    needsComma = false;
    return this;
  }

  /** A whole number; {@link dev.headway.api.Absent#ABSENT} is left out. */
  public JsonText put(String name, long value) {
    if (value != ABSENT) {
      name(name);
      out.append(value);
    }
    return this;
  }

  /** A string; null is left out. */
  public JsonText put(String name, @Nullable String value) {
    if (value != null) {
      name(name);
      appendString(out, value);
    }
    return this;
  }

  /** {@code true} or {@code false}. */
  public JsonText put(String name, boolean value) {
    name(name);
    out.append(value);
    return this;
  }

  /** Numbers as strings of 16 hexadecimal digits, since JSON numbers do not hold 64 bits. */
  public JsonText putHex(String name, long[] values, int count) {
    name(name);
    out.append('[');
    for (int i = 0; i < count; i++) {
      out.append(i == 0 ? "" : ",");
      appendHex(values[i]);
    }
    out.append(']');
    return this;
  }

  /** A number; one that JSON has no word for becomes a string. */
  public JsonText put(String name, double value) {
    name(name);
    if (Double.isFinite(value)) {
      out.append(value);
    } else {
      out.append('"').append(value).append('"');
    }
    return this;
  }

  /** One number as 16 hexadecimal digits. */
  public JsonText putHex(String name, long value) {
    name(name);
    appendHex(value);
    return this;
  }

  /** Closes the object and returns it. */
  public String end() {
    return out.append('}').toString();
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
    for (int i = 0; i < value.length(); i++) {
      final char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c >= 0x20 && c < 0x7F) {
        out.append(c);
      } else {
        appendEscape(out, c);
      }
    }
    out.append('"');
  }

  private static void appendEscape(StringBuilder out, char c) {
    out.append("\\u");
    for (int shift = 12; shift >= 0; shift -= 4) {
      out.append(HEX.charAt((c >> shift) & 0xF));
    }
  }

  private void appendHex(long value) {
    out.append('"');
    for (int shift = 60; shift >= 0; shift -= 4) {
      out.append(HEX.charAt((int) (value >>> shift) & 0xF));
    }
    out.append('"');
  }

  private void name(String name) {
    if (needsComma) {
      out.append(',');
    }
    needsComma = true;
    out.append('"').append(name).append("\":");
  }
}
