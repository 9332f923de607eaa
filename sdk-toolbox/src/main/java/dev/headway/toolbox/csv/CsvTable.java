package dev.headway.toolbox.csv;

import static dev.headway.toolbox.text.Absence.ABSENT;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a CSV file, each with its name and the cell of a row: RFC 4180, but lines end with
 * LF. Not thread-safe while columns are added.
 *
 * @param <R> what a row is made of
 */
public final class CsvTable<R> {

  private static final int NS_DIGITS = 9;

  private final String lineEnd;
  private final List<String> names = new ArrayList<>();
  private final List<Function<R, ? extends @Nullable Object>> cells = new ArrayList<>();

  private CsvTable(String lineEnd) {
    this.lineEnd = lineEnd;
  }

  /** A table without columns. */
  public static <R> CsvTable<R> of() {
    return new CsvTable<>("\n");
  }

  /** A table without columns, whose lines end with CRLF. */
  public static <R> CsvTable<R> withCrLf() {
    return new CsvTable<>("\r\n");
  }

  /** Adds a column; a cell that is null is empty. */
  public CsvTable<R> column(String name, Function<R, ? extends @Nullable Object> cell) {
    names.add(name);
    cells.add(cell);
    return this;
  }

  /** Adds a column of whole numbers; the cell of one that is absent is empty. */
  public CsvTable<R> whole(String name, ToLongFunction<R> value) {
    return column(
        name,
        row -> {
          final long whole = value.applyAsLong(row);
          return whole == ABSENT ? null : whole;
        });
  }

  /** Adds a column of nanoseconds, as seconds with nine digits; empty where they are absent. */
  public CsvTable<R> seconds(String name, ToLongFunction<R> nanos) {
    return column(
        name,
        row -> {
          final long ns = nanos.applyAsLong(row);
          return ns == ABSENT ? null : BigDecimal.valueOf(ns, NS_DIGITS).toPlainString();
        });
  }

  /**
   * Begins a file with a line of the columns' names.
   *
   * @throws IOException if it cannot be written
   */
  public CsvWriter<R> create(Path file) throws IOException {
    return writeTo(Files.newBufferedWriter(file, StandardCharsets.UTF_8));
  }

  /**
   * Begins with a line of the columns' names.
   *
   * @param out closed with the writer if it can be
   * @throws IOException if it cannot be written
   */
  public CsvWriter<R> writeTo(Appendable out) throws IOException {
    final CSVFormat format =
        CSVFormat.RFC4180
            .builder()
            .setRecordSeparator(lineEnd)
            .setHeader(names.toArray(String[]::new))
            .get();
    return new CsvWriter<>(new CSVPrinter(out, format), List.copyOf(cells));
  }
}
