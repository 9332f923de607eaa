package dev.headway.cli;

import dev.headway.toolbox.csv.CsvReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The rows of a CSV file, by column name. */
public record CsvRows(List<Map<String, String>> rows) {

  /** Reads a file with a header. */
  public static CsvRows of(Path file) {
    try {
      return new CsvRows(CsvReader.rows(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The cells of a column. */
  public List<String> column(String name) {
    return rows.stream().map(row -> row.get(name)).toList();
  }

  /** Absent cells count as 0. */
  long sum(String name) {
    return column(name).stream().filter(cell -> !cell.isEmpty()).mapToLong(Long::parseLong).sum();
  }
}
