package dev.headway.simulation.workload;

import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rows of a load in the order of the file. One thread. */
public interface RowSource extends Closeable {
  /** The next row, a request or left out, or null at the end. */
  @Nullable TraceRow next() throws IOException;

  /** What is not as it was recorded in the requests so far: how many, by what in words. */
  default Map<String, Long> notes() {
    return Map.of();
  }
}
