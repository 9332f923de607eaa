package dev.headway.probes.csv.table;

import dev.headway.api.step.FirstOfKind;
import org.jspecify.annotations.Nullable;

/** Takes the cells of a row, in order. An absent value leaves its cell empty. */
public interface Cells {

  /** A whole number; {@link dev.headway.api.Absent#ABSENT} leaves the cell empty. */
  void integer(long value);

  /** Text, neutralised if the file says so, and quoted; null leaves the cell empty. */
  void text(@Nullable CharSequence value);

  /** A cell made by {@link TextCell#encode} with the file's policy; null leaves it empty. */
  void encoded(@Nullable String cell);

  /** One line of JSON that starts with a bracket; null leaves the cell empty. */
  void json(@Nullable CharSequence value);

  /** {@code true} or {@code false}. */
  void flag(boolean value);

  /** A truth value that is absent where the executor does not say. */
  default void flag(FirstOfKind value) {
    if (value == FirstOfKind.UNKNOWN) {
      absent();
    } else {
      flag(value == FirstOfKind.FIRST);
    }
  }

  /**
   * {@code numerator / denominator} rounded half up to six digits after the point, in exact
   * arithmetic; empty if either is {@link dev.headway.api.Absent#ABSENT} or the denominator is not
   * positive.
   */
  void ratio(long numerator, long denominator);

  /**
   * An instant as ISO 8601 in UTC; {@link dev.headway.api.Absent#ABSENT} leaves the cell empty.
   *
   * @param unixNs nanoseconds since 1970
   */
  void time(long unixNs);

  /** An empty cell. */
  void absent();
}
