package dev.headway.simulation.sweep;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a capacity search found, a line per cell, from the rows of its runs: the largest value that
 * met the limits, the least that did not, and figures of the run at the former. Nothing else is
 * read, so that shards and resumed sweeps give the same lines. One thread.
 */
public final class CapacityTable {

  private static final List<String> FIGURES =
      List.of(
          "output_tokens_per_s",
          "goodput_rps",
          "ttft_p99_ns",
          "tpot_p99_ns",
          "cost_per_million_output_tokens");

  private final SweepTable table;
  private final CapacitySearch search;
  private final List<SweepColumn> parameters;
  private final String searched;

  /**
   * Makes the table of a plan.
   *
   * @param table its columns
   * @param search what is looked for
   */
  public CapacityTable(SweepTable table, CapacitySearch search) {
    this.table = table;
    this.search = search;
    this.searched = SweepColumn.nameOf(search.parameter());
    this.parameters =
        table.parameterColumns().stream()
            .filter(column -> !column.name().equals(searched))
            .toList();
  }

  /** The columns, in order. */
  public List<SweepColumn> columns() {
    final List<SweepColumn> columns = new ArrayList<>();
    columns.add(table.columns().get(SweepTable.CELL));
    columns.addAll(parameters);
    columns.add(
        new SweepColumn(
            "capacity",
            ColumnKind.DECIMAL,
            "Largest " + search.parameter() + " tried that met the limits; empty if none did."));
    columns.add(
        new SweepColumn(
            "not_met_at",
            ColumnKind.DECIMAL,
            "Least " + search.parameter() + " tried that did not; empty if all did."));
    columns.add(new SweepColumn("probes", ColumnKind.INTEGER, "Runs of the cell."));
    for (String name : FIGURES) {
      columns.add(
          table.columns().stream().filter(c -> c.name().equals(name)).findFirst().orElseThrow());
    }
    columns.add(table.columns().getLast());
    return List.copyOf(columns);
  }

  /** The first line of a file, without its end. */
  public String header() {
    return columns().stream().map(SweepColumn::name).collect(Collectors.joining(","));
  }

  /**
   * The line of a cell, without its end.
   *
   * @param rows all rows of the cell, at least one
   */
  public String line(List<SweepRow> rows) {
    final SweepRow first = rows.getFirst();
    final SweepRow best = best(rows, 1, true);
    final SweepRow missed = best(rows, 0, false);
    final List<@Nullable Object> values = new ArrayList<>();
    values.add((long) first.cell());
    parameters.forEach(column -> values.add(table.value(first, column.name())));
    values.add(best == null ? null : table.value(best, searched));
    values.add(missed == null ? null : table.value(missed, searched));
    values.add((long) rows.size());
    FIGURES.forEach(name -> values.add(best == null ? null : table.value(best, name)));
    values.add(rows.getLast().values().getLast());
    return table.line(new SweepRow(values));
  }

  /** Of the rows that did or did not meet the limits, the one with the largest or least value. */
  private @Nullable SweepRow best(List<SweepRow> rows, long met, boolean largest) {
    SweepRow best = null;
    for (SweepRow row : rows) {
      if (Long.valueOf(met).equals(table.value(row, "meets_limits"))
          && (best == null || largest == searchedOf(row) > searchedOf(best))) {
        best = row;
      }
    }
    return best;
  }

  private double searchedOf(SweepRow row) {
    return table.value(row, searched) instanceof Double value ? value : Double.NaN;
  }
}
