package dev.headway.simulation.sweep;

/**
 * A column of a sweep's rows.
 *
 * @param name in files: lower case, digits and underscores
 * @param kind what its cells hold; any of them may be empty
 * @param description what it is, in a sentence
 */
public record SweepColumn(String name, ColumnKind kind, String description) {

  /** The name of a parameter's column. */
  public static String nameOf(String parameter) {
    return parameter.replaceAll("[^A-Za-z0-9]", "_");
  }
}
