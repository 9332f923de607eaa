package dev.headway.simulation.sweep;

import dev.headway.toolbox.csv.RealNumber;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs the cells of a plan, each to its rows. Any thread, several at once; nothing is shared
 * between cells. The rows are a function of the plan, the files that it names and the cell's
 * number.
 */
public final class SweepCells {

  private final SweepPlan plan;
  private final SweepTable table;
  private final CellSource source;

  /**
   * Makes what runs the cells.
   *
   * @param table the columns of the plan
   * @param source turns parameters into runs
   */
  public SweepCells(SweepPlan plan, SweepTable table, CellSource source) {
    this.plan = plan;
    this.table = table;
    this.source = source;
  }

  /**
   * Runs a cell on the caller's thread.
   *
   * @param number in [1, cells]
   * @return one row; of a capacity search, one for each value tried. A run that fails gives a row
   *     with an error, and ends the search.
   */
  public List<SweepRow> rows(int number) {
    final SweepCell cell = plan.cell(number);
    final CapacitySearch search = plan.capacity();
    if (search == null) {
      return List.of(row(number, 1, cell.parameters()));
    }
    final List<SweepRow> rows = new ArrayList<>();
    final CapacitySearch.Bracket bracket = search.begin();
    for (double value = bracket.next(); !Double.isNaN(value); value = bracket.next()) {
      final Map<String, String> parameters = new LinkedHashMap<>(cell.parameters());
      parameters.put(search.parameter(), RealNumber.text(value));
      final SweepRow row = row(number, rows.size() + 1, parameters);
      rows.add(row);
      if (table.isFailed(row)) {
        break;
      }
      bracket.tried(value, Long.valueOf(1).equals(table.value(row, "meets_limits")));
    }
    return rows;
  }

  private SweepRow row(int cell, int probe, Map<String, String> parameters) {
    try {
      return table.row(cell, probe, parameters, CellRun.run(source.setup(parameters)));
    } catch (OutOfMemoryError e) {
      return table.failed(
          cell,
          probe,
          parameters,
          "the Java heap is full: more heap, fewer runs at once or fewer KV blocks help");
    } catch (IOException | RuntimeException | LinkageError | StackOverflowError e) {
      return table.failed(cell, probe, parameters, source.anywhere(line(e)));
    }
  }

  /** A failure in one line. */
  private static String line(Throwable failure) {
    final Throwable cause =
        failure instanceof UncheckedIOException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    final String message = cause.getMessage();
    if (message == null || message.isBlank()) {
      return cause.getClass().getName();
    }
    return (cause instanceof NoSuchFileException ? "no such file: " : "")
        + message.strip().replaceAll("\\s*[\\r\\n]+\\s*", " ");
  }
}
