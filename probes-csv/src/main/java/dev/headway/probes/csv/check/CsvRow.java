package dev.headway.probes.csv.check;

import static dev.headway.api.Absent.ABSENT;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.csv.CSVRecord;

/** A row of a CSV file by the names of its columns. */
final class CsvRow {

  private final CSVRecord cells;

  CsvRow(CSVRecord cells) {
    this.cells = cells;
  }

  /** The text of a cell; empty if it, or the column, is absent. */
  String text(String column) {
    return cells.isSet(column) ? cells.get(column) : "";
  }

  /**
   * A whole number, or {@link dev.headway.api.Absent#ABSENT}.
   *
   * @throws MalformedCellException if it is none
   */
  long number(String column) {
    final String text = text(column);
    if (text.isEmpty()) {
      return ABSENT;
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new MalformedCellException(
          "cell must be a whole number of ns: line="
              + cells.getParser().getCurrentLineNumber()
              + ", "
              + column
              + "="
              + text,
          e);
    }
  }

  boolean has(String column) {
    return !text(column).isEmpty();
  }

  /** Which request it is, in every file that has one. */
  RequestKey request() {
    return new RequestKey(number("run"), number("request_number"));
  }

  /** The named cells, for a message. */
  String show(String... columns) {
    return Stream.concat(
            Stream.of("request_id", "req_id", "run", "request_number"), Stream.of(columns))
        .filter(this::has)
        .map(column -> column + "=" + text(column))
        .collect(Collectors.joining(", "));
  }

  /** All columns by name. */
  Map<String, String> all() {
    return cells.toMap();
  }

  /** A request of a run. */
  record RequestKey(long run, long number) {}
}
