package dev.headway.toolbox.csv;

import java.io.Closeable;
import java.io.Flushable;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.apache.commons.csv.CSVPrinter;
import org.jspecify.annotations.Nullable;

/** Writes rows of a {@link CsvTable}. One thread. */
public final class CsvWriter<R> implements Closeable, Flushable {

  private final CSVPrinter out;
  private final List<Function<R, ? extends @Nullable Object>> cells;

  CsvWriter(CSVPrinter out, List<Function<R, ? extends @Nullable Object>> cells) {
    this.out = out;
    this.cells = cells;
  }

  /**
   * Writes a row.
   *
   * @throws IOException if it cannot be written
   */
  public void write(R row) throws IOException {
    for (Function<R, ? extends @Nullable Object> cell : cells) {
      out.print(cell.apply(row));
    }
    out.println();
  }

  @Override
  public void flush() throws IOException {
    out.flush();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
