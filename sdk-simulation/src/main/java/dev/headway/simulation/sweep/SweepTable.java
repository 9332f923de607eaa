package dev.headway.simulation.sweep;

import dev.headway.api.schedule.WaitReason;
import dev.headway.toolbox.csv.RealNumber;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a sweep's rows, and rows as lines of CSV. Which columns there are follows from the
 * plan, so that rows of shards fit together. Immutable; any thread.
 */
public final class SweepTable {

  static final int CELL = 0;
  static final int PROBE = 1;

  private static final String LOAD = "load";
  private static final String POLICY = "policy";

  private final Map<String, String> fixed;
  private final Map<String, ColumnKind> parameters;
  private final List<SweepColumn> columns;
  private final Map<String, Integer> indexes = new HashMap<>();

  /**
   * The columns of a plan.
   *
   * @param fixed parameters that all cells have, by name; {@code load} and {@code policy} are
   *     columns also if they do not vary
   * @throws IllegalArgumentException if a parameter's column would have the name of another
   */
  public SweepTable(SweepPlan plan, Map<String, String> fixed) {
    this.fixed = Map.copyOf(fixed);
    this.parameters = parameters(plan);
    this.columns = columns(parameters);
    for (int i = 0; i < columns.size(); i++) {
      final String name = columns.get(i).name();
      if (indexes.put(name, i) != null) {
        throw new IllegalArgumentException(
            "parameters must have columns of their own: column=" + name);
      }
    }
  }

  private static Map<String, ColumnKind> parameters(SweepPlan plan) {
    final Map<String, ColumnKind> kinds = new LinkedHashMap<>();
    kinds.put(LOAD, ColumnKind.TEXT);
    kinds.put(POLICY, ColumnKind.TEXT);
    for (SweepAxis axis : plan.axes()) {
      kinds.putIfAbsent(axis.name(), axis.kind());
    }
    if (plan.capacity() != null) {
      kinds.put(plan.capacity().parameter(), ColumnKind.DECIMAL);
    }
    return kinds;
  }

  private static List<SweepColumn> columns(Map<String, ColumnKind> parameters) {
    final List<SweepColumn> columns = new ArrayList<>();
    columns.add(new SweepColumn("cell", ColumnKind.INTEGER, "Position in the plan, from 1."));
    columns.add(new SweepColumn("probe", ColumnKind.INTEGER, "Run of the cell, from 1."));
    parameters.forEach(
        (name, kind) ->
            columns.add(
                new SweepColumn(SweepColumn.nameOf(name), kind, "Parameter " + name + ".")));
    Figure.ALL.forEach(figure -> columns.add(figure.column()));
    for (WaitReason reason : WaitReason.values()) {
      columns.add(
          new SweepColumn(
              "wait_" + reason.label() + "_ns",
              ColumnKind.INTEGER,
              "Part of waited_ns: " + reason.label() + "."));
    }
    columns.add(
        new SweepColumn("error", ColumnKind.TEXT, "Why the run failed; empty if it did not."));
    return List.copyOf(columns);
  }

  /** All columns, in order. */
  public List<SweepColumn> columns() {
    return columns;
  }

  /** The columns of parameters, in order. */
  List<SweepColumn> parameterColumns() {
    return columns.subList(PROBE + 1, PROBE + 1 + parameters.size());
  }

  /**
   * A value of a row.
   *
   * @param column name of a column
   * @return null if the cell is empty
   */
  public @Nullable Object value(SweepRow row, String column) {
    final Integer index = indexes.get(column);
    if (index == null) {
      throw new IllegalArgumentException("there is no such column: column=" + column);
    }
    return row.values().get(index);
  }

  /** Whether a row's run failed. */
  public boolean isFailed(SweepRow row) {
    return row.values().get(columns.size() - 1) != null;
  }

  /** The row of a run that went well. */
  SweepRow row(int cell, int probe, Map<String, String> given, CellFigures figures) {
    final List<@Nullable Object> values = begun(cell, probe, given);
    Figure.ALL.forEach(figure -> values.add(figure.value().apply(figures)));
    for (WaitReason reason : WaitReason.values()) {
      values.add(figures.run().waitedNs().getOrDefault(reason, 0L));
    }
    values.add(null);
    return new SweepRow(values);
  }

  /** The row of a run that failed. */
  SweepRow failed(int cell, int probe, Map<String, String> given, String error) {
    final List<@Nullable Object> values = begun(cell, probe, given);
    while (values.size() < columns.size() - 1) {
      values.add(null);
    }
    values.add(error);
    return new SweepRow(values);
  }

  private List<@Nullable Object> begun(int cell, int probe, Map<String, String> given) {
    final List<@Nullable Object> values = new ArrayList<>(columns.size());
    values.add((long) cell);
    values.add((long) probe);
    parameters.forEach(
        (name, kind) -> {
          final String text = given.getOrDefault(name, fixed.get(name));
          values.add(text == null ? null : kind.parse(text));
        });
    return values;
  }

  /**
   * A row of values that were kept elsewhere, in the order of the columns.
   *
   * @throws IllegalArgumentException if they do not fit the columns
   */
  public SweepRow row(List<? extends @Nullable Object> values) {
    if (values.size() != columns.size()) {
      throw new IllegalArgumentException(
          "a row must have a value for each column: values="
              + values.size()
              + ", columns="
              + columns.size());
    }
    return new SweepRow(values);
  }

  /** The first line of a file, without its end. */
  public String header() {
    return columns.stream().map(SweepColumn::name).collect(Collectors.joining(","));
  }

  /** A row as a line, without its end; no cell holds a line break. */
  public String line(SweepRow row) {
    return row.values().stream().map(SweepTable::cell).collect(Collectors.joining(","));
  }

  private static String cell(@Nullable Object value) {
    return switch (value) {
      case null -> "";
      case Double number -> RealNumber.text(number);
      case String text -> quoted(text);
      default -> value.toString();
    };
  }

  private static String quoted(String text) {
    return text.indexOf(',') >= 0 || text.indexOf('"') >= 0
        ? '"' + text.replace("\"", "\"\"") + '"'
        : text;
  }

  /**
   * Reads what {@link #line} wrote.
   *
   * @throws IllegalArgumentException if it is no row of these columns
   */
  public SweepRow row(String line) {
    try (CSVParser parser = CSVParser.parse(new StringReader(line), CSVFormat.RFC4180)) {
      final List<CSVRecord> records = parser.getRecords();
      if (records.size() != 1 || records.getFirst().size() != columns.size()) {
        throw new IllegalArgumentException(
            "a line must have " + columns.size() + " cells: line=" + line);
      }
      final List<@Nullable Object> values = new ArrayList<>(columns.size());
      for (int i = 0; i < columns.size(); i++) {
        final String text = records.getFirst().get(i);
        values.add(text.isEmpty() ? null : columns.get(i).kind().parse(text));
      }
      return new SweepRow(values);
    } catch (IOException e) {
      throw new IllegalArgumentException("a line must be CSV: line=" + line, e);
    }
  }
}
