package dev.headway.simulation.fit;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/** Reads a table of {@code headway training}. Stateless. */
final class TrainingTable {

  private static final CSVFormat FORMAT =
      CSVFormat.RFC4180.builder().setHeader().setSkipHeaderRecord(true).get();

  private TrainingTable() {}

  /**
   * Reads every row.
   *
   * @param file the table, plain or gzip, or the folder that has it under {@code name}
   * @param row throws IllegalArgumentException if a column is missing or is no number
   * @throws IOException if it cannot be read or a row is wrong; names the file and the line
   */
  static void read(Path file, String name, Consumer<CSVRecord> row) throws IOException {
    final Path table = Files.isDirectory(file) ? file.resolve(name) : file;
    try (CSVParser rows = CSVParser.parse(open(table), FORMAT)) {
      for (CSVRecord next : rows) {
        try {
          row.accept(next);
        } catch (IllegalArgumentException e) {
          throw new IOException(
              table + ", line " + rows.getCurrentLineNumber() + ": " + e.getMessage(), e);
        }
      }
    }
  }

  private static Reader open(Path file) throws IOException {
    final InputStream bytes = new BufferedInputStream(Files.newInputStream(file));
    return new InputStreamReader(
        file.toString().endsWith(".gz") ? new GZIPInputStream(bytes) : bytes,
        StandardCharsets.UTF_8);
  }
}
