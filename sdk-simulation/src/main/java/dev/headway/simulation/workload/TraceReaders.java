package dev.headway.simulation.workload;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Opens request traces, plain or gzip, as a {@link Workload}.
 *
 * <p>What holds for every format: UTF-8 with or without a byte order mark; lines end with LF, CRLF
 * or CR; blank lines are skipped. Rows are streamed. Arrivals may be out of order by 4,096 rows and
 * are put in order; a row later than that is an error. A row with 0 input or output tokens is a
 * failed request: it is left out and counted in {@link Workload#adjustments()}. Whole numbers may
 * be written as {@code 472}, {@code 472.0} or {@code 4.72e2}. Everything else that does not fit is
 * an error with file, line and column.
 *
 * <p>Refused: lines over 16 MiB, gzip inside gzip, and gzip that expands more than 200 : 1 beyond
 * 64 MiB. Use {@link Workloads#limit} where a file of unknown length must not be read to its end.
 */
public final class TraceReaders {
  private TraceReaders() {}

  /**
   * Opens a trace and recognises its format by its columns.
   *
   * @param file the trace
   * @return the workload; it owns the open file
   * @throws IOException if the file cannot be opened or read
   * @throws TraceFormatException if it is empty, damaged or of no known format
   */
  public static Workload open(Path file) throws IOException {
    return open(file, TraceFormat.AUTO);
  }

  /**
   * Opens a trace of a given format.
   *
   * @param file the trace
   * @param format its format; {@link TraceFormat#AUTO} to recognise it
   * @return the workload; it owns the open file
   * @throws IOException if the file cannot be opened or read
   * @throws TraceFormatException if it is empty, damaged or lacks the columns of the format
   */
  public static Workload open(Path file, TraceFormat format) throws IOException {
    return open(file.toString(), Files.newInputStream(file), format);
  }

  /**
   * Reads a trace from a stream.
   *
   * @param name what messages and {@link Workload#name()} call it
   * @param in the bytes; closed with the workload, and if this method fails
   * @param format its format; {@link TraceFormat#AUTO} to recognise it
   * @return the workload; it owns the stream
   * @throws IOException if the stream cannot be read
   * @throws TraceFormatException if it is empty, damaged or lacks the columns of the format
   */
  public static Workload open(String name, InputStream in, TraceFormat format) throws IOException {
    return open(name, in, format, TraceLimits.DEFAULT);
  }

  static Workload open(String name, InputStream in, TraceFormat format, TraceLimits limits)
      throws IOException {
    try {
      return opened(name, in, format, limits);
    } catch (IOException | RuntimeException e) {
      in.close();
      throw e;
    }
  }

  private static Workload opened(
      String name, InputStream in, TraceFormat format, TraceLimits limits) throws IOException {
    final InputStream bytes = TraceBytes.open(name, in, limits);
    final boolean array = format == TraceFormat.AUTO && TraceBytes.startsWith(bytes, '[');
    if (array || format.syntax() == TraceFormat.Syntax.JSON) {
      final ShareGptRows rows = new ShareGptRows(name, bytes);
      return new OrderedTrace(name, rows, TraceFormat.SHAREGPT.isRelative(), limits);
    }
    final LineReader lines = new LineReader(name, bytes, limits.maxLineBytes());
    final String first = lines.peekNotBlank();
    if (first == null) {
      throw new TraceFormatException(
          "trace must not be empty; a header or a JSON object is expected: file=" + name);
    }
    final TraceFormat known = format == TraceFormat.AUTO ? recognised(lines, first) : format;
    final RowSource rows =
        known.syntax() == TraceFormat.Syntax.CSV
            ? new CsvRows(lines, known, limits)
            : new JsonRows(lines, known);
    return new OrderedTrace(name, rows, known.isRelative(), limits);
  }

  private static TraceFormat recognised(LineReader lines, String first) {
    final boolean json = first.stripLeading().startsWith("{");
    final TraceFormat.Syntax syntax = json ? TraceFormat.Syntax.JSONL : TraceFormat.Syntax.CSV;
    final List<String> columns = json ? JsonRows.keys(lines, first) : CsvRows.columnNames(first);
    final List<String> expected = new ArrayList<>();
    for (TraceFormat format : TraceFormat.values()) {
      if (format != TraceFormat.AUTO && format.syntax() == syntax) {
        if (format.missingFrom(columns).isEmpty()) {
          return format;
        }
        expected.add(format.label() + " " + format.required());
      }
    }
    throw new TraceFormatException(
        ("trace must have the columns of a known format: file=%s, line=%d, found=%s,"
                + " expected one of %s")
            .formatted(lines.file(), lines.number(), shown(columns), String.join(", ", expected)));
  }

  private static List<String> shown(List<String> columns) {
    return columns.stream().limit(32).map(CellParser::quoted).toList();
  }
}
