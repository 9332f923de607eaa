package dev.headway.probes.csv.table;

/**
 * A column of rows of type {@code R}.
 *
 * @param definition what it means
 * @param cell writes its cell
 */
public record Column<R>(ColumnDefinition definition, Cell<R> cell) {

  /** Writes one cell of a row. */
  @FunctionalInterface
  public interface Cell<R> {
    /** Writes exactly one cell to {@code cells}. */
    void write(R row, Cells cells);
  }
}
