package dev.headway.simulation.sweep;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** What the cells of a column hold. */
public enum ColumnKind {
  /** 64-bit whole numbers: counts, tokens, nanoseconds. */
  INTEGER,
  /** 64-bit floating-point numbers. */
  DECIMAL,
  /** Anything else. */
  TEXT;

  private static final Pattern WHOLE = Pattern.compile("-?\\d{1,18}");
  private static final Pattern NUMBER =
      Pattern.compile("[-+]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][-+]?\\d{1,3})?");

  /** The narrowest kind that has all of {@code values}. */
  static ColumnKind of(List<String> values) {
    if (values.stream().allMatch(value -> WHOLE.matcher(value).matches())) {
      return INTEGER;
    }
    return values.stream().allMatch(value -> NUMBER.matcher(value).matches()) ? DECIMAL : TEXT;
  }

  /** The name in {@code manifest.json}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Reads a value: a Long, a Double or a String.
   *
   * @throws IllegalArgumentException if it is no such value
   */
  Object parse(String text) {
    return switch (this) {
      case INTEGER -> Long.valueOf(text);
      case DECIMAL -> Double.valueOf(text);
      case TEXT -> text;
    };
  }
}
