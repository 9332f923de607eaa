package dev.headway.cli.sweep;

import dev.headway.simulation.sweep.CapacitySearch;
import dev.headway.simulation.sweep.SweepAxis;
import dev.headway.simulation.sweep.SweepColumn;
import dev.headway.simulation.sweep.SweepPlan;
import dev.headway.toolbox.csv.CsvReader;
import dev.headway.toolbox.csv.RealNumber;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.commons.csv.CSVRecord;

/** What a capacity search found, a line per cell, for a terminal. Stateless. */
final class CapacityText {

  private static final int MOST_LINES = 10;

  private CapacityText() {}

  /**
   * Reads what a search left.
   *
   * @param file {@code capacity.csv} of the plan
   */
  static String of(Path file, SweepPlan plan, CapacitySearch search) throws IOException {
    final List<String> lines = new ArrayList<>();
    CsvReader.read(file, row -> lines.add(line(row, plan, search)));
    final StringBuilder text = new StringBuilder();
    for (int i = 0; i < Math.min(MOST_LINES, lines.size()); i++) {
      text.append("  %-13s %s%n".formatted(i == 0 ? "capacity" : "", lines.get(i)));
    }
    if (lines.size() > MOST_LINES) {
      text.append(
          "  %-13s and %,d more in %s%n"
              .formatted("", lines.size() - MOST_LINES, file.getFileName()));
    }
    return text.toString();
  }

  private static String line(CSVRecord row, SweepPlan plan, CapacitySearch search) {
    final String cell =
        plan.axes().stream()
            .map(SweepAxis::name)
            .map(name -> name + "=" + row.get(SweepColumn.nameOf(name)))
            .collect(Collectors.joining(", "));
    return (cell.isEmpty() ? "" : cell + ": ") + found(row, search);
  }

  private static String found(CSVRecord row, CapacitySearch search) {
    final String capacity = row.get("capacity");
    final String missed = row.get("not_met_at");
    final String name = search.parameter() + "=";
    if (capacity.isEmpty() && missed.isEmpty()) {
      return "not known, its runs failed";
    }
    if (capacity.isEmpty()) {
      return "none, " + name + RealNumber.text(search.min()) + ", the least, is too much";
    }
    return name
        + capacity
        + (missed.isEmpty() ? ", the most that was asked for" : "; " + missed + " is too much");
  }
}
