package dev.headway.loadgen.result;

import java.util.Locale;

/** A printed table, 50 wide: labels in 40 columns, values in 10. One thread. */
final class Table {

  private static final int WIDTH = 50;
  private static final String ABSENT = "n/a";

  private final StringBuilder text = new StringBuilder();

  /** A line with a title in its middle. */
  Table rule(String title, char of) {
    final int left = (WIDTH - title.length()) / 2;
    final int right = WIDTH - title.length() - left;
    text.append(String.valueOf(of).repeat(Math.max(0, left)))
        .append(title)
        .append(String.valueOf(of).repeat(Math.max(0, right)))
        .append('\n');
    return this;
  }

  /** A line with a word. */
  Table row(String label, String value) {
    text.append(String.format(Locale.ROOT, "%-40s %-10s%n", label, value).replace("\r\n", "\n"));
    return this;
  }

  /** A line with a count. */
  Table row(String label, long value) {
    return row(label, Long.toString(value));
  }

  /** A line with a figure of two decimals. */
  Table row(String label, double value) {
    return row(label, Double.isFinite(value) ? String.format(Locale.ROOT, "%.2f", value) : ABSENT);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
