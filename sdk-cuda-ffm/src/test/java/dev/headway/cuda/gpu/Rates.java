package dev.headway.cuda.gpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Predicate;

/** Rows that stages wrote, of one or of several tables; a stage that did not run has none. */
record Rates(List<Row> rows) {

  /** A line of a {@link RateTable}. */
  record Row(String what, String shape, double value) {}

  static Rates read(List<Path> tables) throws IOException {
    final List<Row> rows = new ArrayList<>();
    for (Path table : tables) {
      if (Files.exists(table)) {
        for (String line : Files.readAllLines(table)) {
          final String[] cells = line.split(",", -1);
          if (cells.length == 4 && !line.equals(RateTable.HEADER)) {
            rows.add(new Row(cells[0], cells[1], Double.parseDouble(cells[2])));
          }
        }
      }
    }
    return new Rates(rows);
  }

  OptionalDouble of(String what, String shape) {
    return worst(row -> row.what().equals(what) && row.shape().equals(shape));
  }

  /** The largest value of some rows; empty if there are none. */
  OptionalDouble worst(Predicate<Row> which) {
    return rows.stream().filter(which).mapToDouble(Row::value).max();
  }
}
