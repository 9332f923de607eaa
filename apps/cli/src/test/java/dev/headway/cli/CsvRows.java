package dev.headway.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/** The rows of a CSV file, by column name. */
public record CsvRows(List<CSVRecord> rows) {

  /** Reads a file with a header. */
  public static CsvRows of(Path file) {
    final CSVFormat format =
        CSVFormat.RFC4180.builder().setHeader().setSkipHeaderRecord(true).get();
    try (CSVParser parser = CSVParser.parse(file, StandardCharsets.UTF_8, format)) {
      return new CsvRows(parser.getRecords());
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
