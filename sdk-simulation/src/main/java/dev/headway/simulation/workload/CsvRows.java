package dev.headway.simulation.workload;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.csv.CSVException;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/** Rows of a CSV trace, RFC 4180, columns by the names of the header. */
final class CsvRows implements RowSource {
  private static final CSVFormat RFC_4180 =
      CSVFormat.RFC4180.builder().setIgnoreSurroundingSpaces(true).get();
  private static final int[] NO_BLOCKS = {};

  private final LineReader lines;
  private final LineFeed feed;
  private final CSVParser parser;
  private final Iterator<CSVRecord> records;
  private final Map<String, Integer> columns;
  private final RowAssembler assembler;
  private long recordLine;

  CsvRows(LineReader lines, TraceFormat format, TraceLimits limits) throws IOException {
    this.lines = lines;
    this.feed = new LineFeed(lines, limits.maxLineBytes());
    this.parser = RFC_4180.parse(feed);
    this.records = parser.iterator();
    this.columns = indexed(header());
    this.assembler = new RowAssembler(format, new CellParser(lines.file()));
    requireColumns(format);
  }

  /** The column names in a header line, for recognising the format. */
  static List<String> columnNames(String headerLine) {
    try (CSVParser parser = CSVParser.parse(headerLine, RFC_4180)) {
      final List<String> names = new ArrayList<>();
      for (CSVRecord row : parser) {
        names.addAll(row.toList());
      }
      return names;
    } catch (IOException | UncheckedIOException e) {
      return List.of(headerLine); // malformed quotes: no format has such a name
    }
  }

  private List<String> header() throws IOException {
    final CSVRecord row = nextRecord();
    return row == null ? List.of() : row.toList();
  }

  private Map<String, Integer> indexed(List<String> names) {
    final Map<String, Integer> result = new LinkedHashMap<>();
    for (String name : names) {
      if (result.putIfAbsent(name, result.size()) != null) {
        throw new TraceFormatException(
            "trace header must name each column once: file=%s, line=%d, column=%s"
                .formatted(lines.file(), recordLine, name));
      }
    }
    return result;
  }

  private void requireColumns(TraceFormat format) {
    final List<String> missing = format.missingFrom(columns.keySet());
    if (!missing.isEmpty()) {
      throw new TraceFormatException(
          ("trace header must have the columns of its format: file=%s, line=%d, format=%s,"
                  + " missing=%s, found=%s, expected=%s")
              .formatted(
                  lines.file(),
                  recordLine,
                  format.label(),
                  missing,
                  columns.keySet(),
                  format.required()));
    }
  }

  @Override
  public @Nullable TraceRow next() throws IOException {
    final CSVRecord row = nextRecord();
    if (row == null) {
      return null;
    }
    if (row.size() != columns.size()) {
      throw new TraceFormatException(
          ("trace row must have as many columns as the header: file=%s, line=%d, columns=%d,"
                  + " expected=%d")
              .formatted(lines.file(), recordLine, row.size(), columns.size()));
    }
    return assembler.assemble(new CsvFields(row, recordLine));
  }

  /** The next record that is more than blanks, or null. */
  private @Nullable CSVRecord nextRecord() throws IOException {
    try {
      while (records.hasNext()) {
        final CSVRecord row = records.next();
        recordLine = feed.recordLine();
        feed.recordTaken(parser.getCurrentLineNumber());
        if (row.size() > 1 || !row.get(0).isBlank()) {
          return row;
        }
      }
      return null;
    } catch (UncheckedIOException e) {
      final IOException cause = e.getCause();
      if (cause instanceof CSVException) {
        recordLine = feed.recordLine();
        throw malformed(cause);
      }
      throw cause;
    }
  }

  private TraceFormatException malformed(IOException cause) {
    return new TraceFormatException(
        "trace row is not readable: file=%s, line=%d; quotes must be closed, and doubled inside"
            .formatted(lines.file(), recordLine),
        cause);
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }

  private final class CsvFields implements RowAssembler.Fields {
    private final CSVRecord row;
    private final long line;

    CsvFields(CSVRecord row, long line) {
      this.row = row;
      this.line = line;
    }

    @Override
    public long line() {
      return line;
    }

    @Override
    public @Nullable String text(String column) {
      final Integer index = columns.get(column);
      return index == null ? null : row.get(index);
    }

    @Override
    public int[] hashIds() {
      return NO_BLOCKS;
    }
  }

  /** Gives the parser checked lines, and stops a quoted cell that never ends. */
  private static final class LineFeed extends Reader {
    private final LineReader lines;
    private final int maxRecordLength;
    private final long linesBefore;
    private String line = "";
    private int position;
    private long sinceRecord;
    private long recordLine;

    LineFeed(LineReader lines, int maxRecordLength) throws IOException {
      this.lines = lines;
      this.maxRecordLength = maxRecordLength;
      lines.peekNotBlank();
      this.linesBefore = Math.max(0, lines.number() - 1);
      this.recordLine = linesBefore + 1;
    }

    /** Where the record starts that the parser reads next. */
    long recordLine() {
      return recordLine;
    }

    void recordTaken(long linesParsed) {
      sinceRecord = 0;
      recordLine = linesBefore + linesParsed + 1;
    }

    @Override
    public int read(char[] target, int offset, int length) throws IOException {
      if (position == line.length()) {
        final String next = lines.next();
        if (next == null) {
          return -1;
        }
        line = next + '\n';
        position = 0;
      }
      final int count = Math.min(length, line.length() - position);
      line.getChars(position, position + count, target, offset);
      position += count;
      sinceRecord += count;
      if (sinceRecord > maxRecordLength + 2L * target.length) { // what is read ahead is not held
        throw new TraceFormatException(
            "trace row must not be longer than %d characters (open quote?): file=%s, line=%d"
                .formatted(maxRecordLength, lines.file(), recordLine));
      }
      return count;
    }

    @Override
    public void close() {
      // the rows close the lines
    }
  }
}
