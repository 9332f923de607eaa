package dev.headway.simulation.workload;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The rows of a trace in the order of the file. */
sealed interface RowSource extends Closeable permits CsvRows, JsonRows, ShareGptRows {
  /** The next row, a request or left out, or null at the end. */
  @Nullable TraceRow next() throws IOException;
}
