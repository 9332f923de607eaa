package dev.headway.probes.csv.table;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A CSV file's name, meaning and columns.
 *
 * @param fileName with its suffix
 * @param description what one row is, in one sentence
 * @param order order of the rows, in one sentence
 * @param columns in the order of the file; new ones are only ever appended
 */
public record Table<R>(String fileName, String description, String order, List<Column<R>> columns) {

  /** Copies the columns. */
  public Table {
    columns = List.copyOf(columns);
  }

  /** Starts a table. */
  public static <R> Builder<R> named(String fileName, String description, String order) {
    return new Builder<>(fileName, description, order);
  }

  /** The names of the columns, in order. */
  public List<String> header() {
    return columns.stream().map(column -> column.definition().name()).toList();
  }

  /** Collects columns. Not thread-safe. */
  public static final class Builder<R> {

    private final String fileName;
    private final String description;
    private final String order;
    private final List<Column<R>> columns = new ArrayList<>();

    private Builder(String fileName, String description, String order) {
      this.fileName = fileName;
      this.description = description;
      this.order = order;
    }

    /** A whole number, or {@link dev.headway.api.Absent#ABSENT}. */
    public Builder<R> integer(
        String name, String unit, String description, ToLongFunction<R> value) {
      return add(
          ColumnDefinition.of(name, ColumnType.INTEGER, unit, description),
          (row, cells) -> cells.integer(value.applyAsLong(row)));
    }

    /** An instant in nanoseconds since the run began, or {@link dev.headway.api.Absent#ABSENT}. */
    public Builder<R> instant(String name, String description, ToLongFunction<R> value) {
      return integer(name, "ns", description, value);
    }

    /** Nanoseconds between two instants, or {@link dev.headway.api.Absent#ABSENT}. */
    public Builder<R> duration(
        String name, String begin, String end, String description, ToLongFunction<R> value) {
      return add(
          ColumnDefinition.duration(name, begin, end, description),
          (row, cells) -> cells.integer(value.applyAsLong(row)));
    }

    /** A word of a known set, or null. */
    public Builder<R> label(String name, String description, Function<R, @Nullable String> value) {
      return add(
          ColumnDefinition.of(name, ColumnType.LABEL, "", description),
          (row, cells) -> cells.text(value.apply(row)));
    }

    /** Text from outside, or null. */
    public Builder<R> text(String name, String description, Function<R, @Nullable String> value) {
      return add(
          ColumnDefinition.of(name, ColumnType.TEXT, "", description),
          (row, cells) -> cells.text(value.apply(row)));
    }

    /** Text whose cell was encoded before, or null. */
    public Builder<R> encoded(
        String name,
        ColumnType type,
        String description,
        Function<R, @Nullable String> encodedCell) {
      return add(
          ColumnDefinition.of(name, type, "", description),
          (row, cells) -> cells.encoded(encodedCell.apply(row)));
    }

    /** One line of JSON, or null. */
    public Builder<R> json(
        String name, String description, Function<R, @Nullable CharSequence> value) {
      return add(
          ColumnDefinition.of(name, ColumnType.JSON, "", description),
          (row, cells) -> cells.json(value.apply(row)));
    }

    /** Anything else. */
    public Builder<R> column(
        String name, ColumnType type, String unit, String description, Column.Cell<R> cell) {
      return add(ColumnDefinition.of(name, type, unit, description), cell);
    }

    /** Returns the table. */
    public Table<R> build() {
      return new Table<>(fileName, description, order, columns);
    }

    private Builder<R> add(ColumnDefinition definition, Column.Cell<R> cell) {
      columns.add(new Column<>(definition, cell));
      return this;
    }
  }
}
