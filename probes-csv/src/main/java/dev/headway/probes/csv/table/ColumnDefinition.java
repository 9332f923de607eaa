package dev.headway.probes.csv.table;

/**
 * What a column means: the source of the header, the manifest and the reference page.
 *
 * @param name as in the header
 * @param type what a cell holds
 * @param unit of the number, for example {@code ns}; empty if it has none
 * @param description one sentence
 * @param begin the instant at which a duration begins; empty if it is no duration between two
 *     instants
 * @param end the instant at which it ends
 */
public record ColumnDefinition(
    String name, ColumnType type, String unit, String description, String begin, String end) {

  /** A column that is no duration between two instants. */
  static ColumnDefinition of(String name, ColumnType type, String unit, String description) {
    return new ColumnDefinition(name, type, unit, description, "", "");
  }

  /** A duration between two instants, in nanoseconds. */
  static ColumnDefinition duration(String name, String begin, String end, String description) {
    return new ColumnDefinition(name, ColumnType.INTEGER, "ns", description, begin, end);
  }
}
