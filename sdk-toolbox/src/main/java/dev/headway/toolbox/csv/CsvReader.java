package dev.headway.toolbox.csv;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/** Reads CSV with a header, plain or gzip by the name of the file. Stateless. */
public final class CsvReader {

  private static final CSVFormat FORMAT =
      CSVFormat.RFC4180.builder().setHeader().setSkipHeaderRecord(true).get();

  private CsvReader() {}

  /** Takes the rows of a table whose columns are known by then. */
  @FunctionalInterface
  public interface Opened {
    /**
     * Looks at the columns.
     *
     * @return gets each row; throws IllegalArgumentException or ArithmeticException if one is wrong
     * @throws IOException if these are not the columns that are needed
     */
    Consumer<CSVRecord> rowsOf(List<String> columns) throws IOException;
  }

  /**
   * Passes every row on.
   *
   * @param each throws IllegalArgumentException if a column is missing or has no number where one
   *     is needed
   * @throws IOException if the file cannot be read or a row is wrong; names the file and the line
   */
  public static void read(Path file, Consumer<CSVRecord> each) throws IOException {
    readBy(file, columns -> each);
  }

  /**
   * All rows of a small file, by the names of their columns.
   *
   * @throws IOException if the file cannot be read
   */
  public static List<Map<String, String>> rows(Path file) throws IOException {
    final List<Map<String, String>> rows = new ArrayList<>();
    read(file, row -> rows.add(row.toMap()));
    return rows;
  }

  /**
   * The names of a table's columns.
   *
   * @throws IOException if the file cannot be read or has no header
   */
  public static List<String> columns(Path file) throws IOException {
    try (CSVParser rows = parser(file)) {
      return List.copyOf(rows.getHeaderNames());
    }
  }

  private static CSVParser parser(Path file) throws IOException {
    final InputStream bytes = open(file);
    try {
      return CSVParser.parse(new InputStreamReader(bytes, StandardCharsets.UTF_8), FORMAT);
    } catch (IOException | RuntimeException e) {
      bytes.close();
      throw new IOException(
          file + " must begin with a header in CSV, each column with a name: " + e.getMessage(), e);
    }
  }

  /** As above, where what is done with the rows depends on the columns. */
  public static void readBy(Path file, Opened opened) throws IOException {
    try (CSVParser rows = parser(file)) {
      final Consumer<CSVRecord> each = opened.rowsOf(rows.getHeaderNames());
      for (CSVRecord row : rows) {
        try {
          each.accept(row);
        } catch (IllegalArgumentException | ArithmeticException e) {
          throw new IOException(
              file + ", line " + rows.getCurrentLineNumber() + ": " + e.getMessage(), e);
        }
      }
    } catch (UncheckedIOException e) { // from the iterator: what follows is no CSV
      throw new IOException(file + " must be CSV: " + e.getMessage(), e);
    }
  }

  /** Opens a file, unpacked if its name ends with {@code .gz}; close it. */
  public static InputStream open(Path file) throws IOException {
    final InputStream bytes = new BufferedInputStream(Files.newInputStream(file));
    return file.toString().endsWith(".gz") ? new GZIPInputStream(bytes) : bytes;
  }
}
