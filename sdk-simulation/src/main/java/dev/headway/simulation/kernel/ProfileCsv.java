package dev.headway.simulation.kernel;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/** Finds and reads the tables of a profile: CSV with a header, plain or gzip. Stateless. */
final class ProfileCsv {

  private static final CSVFormat FORMAT =
      CSVFormat.RFC4180.builder().setHeader().setSkipHeaderRecord(true).get();

  private ProfileCsv() {}

  /** The one table of a folder whose name begins like that. */
  static Path find(Path folder, String prefix) throws IOException {
    final Path found = findOrNull(folder, prefix);
    if (found == null) {
      throw new NoSuchFileException(folder.toString(), null, "must have " + prefix + "*.csv[.gz]");
    }
    return found;
  }

  static @Nullable Path findOrNull(Path folder, String prefix) {
    try (Stream<Path> files = Files.list(folder)) {
      final List<Path> found = files.filter(file -> isTable(file, prefix)).sorted().toList();
      return found.isEmpty() ? null : found.getFirst();
    } catch (IOException e) {
      return null; // reading it will say why
    }
  }

  private static boolean isTable(Path file, String prefix) {
    final String name = String.valueOf(file.getFileName());
    return name.startsWith(prefix) && (name.endsWith(".csv") || name.endsWith(".csv.gz"));
  }

  /**
   * Passes every row on.
   *
   * @throws IOException if the file cannot be read, or a row lacks a column or has no number where
   *     one is needed; names the line
   */
  static void read(Path file, Consumer<CSVRecord> each) throws IOException {
    try (CSVParser rows = CSVParser.parse(open(file), FORMAT)) {
      for (CSVRecord row : rows) {
        try {
          each.accept(row);
        } catch (IllegalArgumentException e) {
          throw new IOException(
              file + ", line " + rows.getCurrentLineNumber() + ": " + e.getMessage(), e);
        }
      }
    }
  }

  /** The number in a column of a row. */
  static double number(CSVRecord row, String column) {
    return Double.parseDouble(row.get(column));
  }

  /** The nanoseconds of a column in milliseconds. */
  static double milliseconds(CSVRecord row, String column) {
    return number(row, column) * 1e6;
  }

  private static Reader open(Path file) throws IOException {
    final InputStream bytes = new BufferedInputStream(Files.newInputStream(file));
    final boolean isGzip = String.valueOf(file.getFileName()).endsWith(".gz");
    return new InputStreamReader(
        isGzip ? new GZIPInputStream(bytes) : bytes, StandardCharsets.UTF_8);
  }
}
