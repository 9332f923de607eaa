package dev.headway.probes.csv.table;

import static dev.headway.api.Absent.ABSENT;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    private final Map<String, ToLongFunction<R>> instants = new LinkedHashMap<>();
    private @Nullable ToLongFunction<R> runBeginUnixNs;

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

    /** The column {@code run}, with which the rows of every table begin. */
    public Builder<R> run(ToLongFunction<R> index) {
      return integer("run", "", "Which run of the journal, from 0.", index);
    }

    /** An instant in nanoseconds since the run began, or {@link dev.headway.api.Absent#ABSENT}. */
    public Builder<R> instant(String name, String description, ToLongFunction<R> value) {
      instants.put(name, value);
      return integer(name, "ns", description, value);
    }

    /**
     * Adds two columns per instant behind all others: the same in nanoseconds since 1970, and as
     * ISO 8601.
     *
     * @param runBegin the begin of the row's run in nanoseconds since 1970, or {@link
     *     dev.headway.api.Absent#ABSENT} if it has none
     */
    public Builder<R> calendar(ToLongFunction<R> runBegin) {
      runBeginUnixNs = runBegin;
      return this;
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
      if (runBeginUnixNs != null) {
        for (Map.Entry<String, ToLongFunction<R>> instant : instants.entrySet()) {
          addCalendar(instant.getKey(), instant.getValue(), runBeginUnixNs);
        }
      }
      return new Table<>(fileName, description, order, columns);
    }

    private void addCalendar(String name, ToLongFunction<R> instant, ToLongFunction<R> runBegin) {
      final String stem = name.endsWith("_time") ? name.substring(0, name.length() - 5) : name;
      final ToLongFunction<R> unixNs =
          row -> {
            final long runBeginNs = runBegin.applyAsLong(row);
            final long ns = instant.applyAsLong(row);
            return runBeginNs == ABSENT || ns == ABSENT ? ABSENT : runBeginNs + ns;
          };
      integer(
          stem + "_unix_ns",
          "ns",
          name + " since 1970, by the clock anchor of the run; absent in virtual time.",
          unixNs);
      add(
          ColumnDefinition.of(
              stem + "_iso8601", ColumnType.TIME, "", name + " in UTC; absent in virtual time."),
          (row, cells) -> cells.time(unixNs.applyAsLong(row)));
    }

    private Builder<R> add(ColumnDefinition definition, Column.Cell<R> cell) {
      columns.add(new Column<>(definition, cell));
      return this;
    }
  }
}
