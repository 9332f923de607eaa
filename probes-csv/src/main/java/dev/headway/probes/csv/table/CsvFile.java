package dev.headway.probes.csv.table;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.probes.csv.option.TextPolicy;
import dev.headway.toolbox.output.WholeWrites;
import dev.headway.toolbox.text.Ratio;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows of a table to a file: UTF-8, LF, whole rows only. One thread.
 *
 * <p>Numbers go straight into one reused buffer; text is quoted by Commons CSV. That makes several
 * million rows per second where a printer call per cell makes half a million.
 */
public final class CsvFile<R> implements Cells, AutoCloseable {

  private static final int FLUSH_CHARS = 60_000;

  private final Table<R> table;
  private final List<Column<R>> columns;
  private final TextPolicy policy;
  private final StringBuilder buffer = new StringBuilder(FLUSH_CHARS + 4_096);
  private final IsoTime clock = new IsoTime();
  private FileChannel channel;
  private long rows;
  private boolean rowStarted;

  private CsvFile(Table<R> table, TextPolicy policy, FileChannel channel) {
    this.table = table;
    this.columns = table.columns();
    this.policy = policy;
    this.channel = channel;
  }

  /** Creates the table's file in {@code directory} and writes the header. */
  public static <R> CsvFile<R> create(Path directory, Table<R> table, TextPolicy policy)
      throws IOException {
    final FileChannel channel =
        FileChannel.open(
            directory.resolve(table.fileName()),
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.WRITE);
    final CsvFile<R> file = new CsvFile<>(table, policy, channel);
    file.buffer.append(String.join(",", table.header())).append('\n');
    return file;
  }

  /** The table whose rows these are. */
  public Table<R> table() {
    return table;
  }

  /** Rows written so far, the header not counted. */
  public long rows() {
    return rows;
  }

  /**
   * Writes a row.
   *
   * @throws UncheckedIOException if the file cannot take it
   */
  public void write(R row) {
    rowStarted = false;
    for (int i = 0; i < columns.size(); i++) {
      columns.get(i).cell().write(row, this);
    }
    buffer.append('\n');
    rows++;
    if (buffer.length() >= FLUSH_CHARS) {
      flush();
    }
  }

  /**
   * Hands every whole row to the operating system.
   *
   * @throws UncheckedIOException if the file cannot take them
   */
  public void flush() {
    final ByteBuffer bytes = ByteBuffer.wrap(buffer.toString().getBytes(StandardCharsets.UTF_8));
    buffer.setLength(0);
    try {
      WholeWrites.append(channel, bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot write " + table.fileName() + " after " + rows + " rows: " + e.getMessage(), e);
    }
  }

  /** Goes on in the same file after its directory has moved. */
  public void continueIn(Path directory) throws IOException {
    close();
    channel =
        FileChannel.open(
            directory.resolve(table.fileName()),
            StandardOpenOption.WRITE,
            StandardOpenOption.APPEND);
  }

  @Override
  public void close() throws IOException {
    if (channel.isOpen()) {
      try {
        flush();
      } finally {
        channel.close();
      }
    }
  }

  @Override
  public void integer(long value) {
    startCell();
    if (value != ABSENT) {
      buffer.append(value);
    }
  }

  @Override
  public void text(@Nullable CharSequence value) {
    startCell();
    if (value != null) {
      TextCell.append(buffer, value, policy);
    }
  }

  @Override
  public void encoded(@Nullable String cell) {
    startCell();
    if (cell != null) {
      buffer.append(cell);
    }
  }

  @Override
  public void json(@Nullable CharSequence value) {
    startCell();
    if (value != null) {
      TextCell.quote(buffer, value);
    }
  }

  @Override
  public void flag(boolean value) {
    startCell();
    buffer.append(value);
  }

  @Override
  public void ratio(long numerator, long denominator) {
    startCell();
    if (numerator != ABSENT && denominator > 0) {
      Ratio.append(buffer, numerator, denominator);
    }
  }

  @Override
  public void time(long unixNs) {
    startCell();
    if (unixNs != ABSENT) {
      clock.append(buffer, unixNs);
    }
  }

  @Override
  public void absent() {
    startCell();
  }

  private void startCell() {
    if (rowStarted) {
      buffer.append(',');
    }
    rowStarted = true;
  }
}
