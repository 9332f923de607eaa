package dev.headway.simulation.workload;

import dev.headway.fuzz.ParserFuzz;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/** Traces of every format, recognised by what they hold. */
class TraceFuzzTest extends ParserFuzz {

  private static final int MOST_ROWS = 10_000;

  TraceFuzzTest() {
    super(TraceFormatException.class, IOException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    try (Workload trace =
        TraceReaders.open("trace", new ByteArrayInputStream(input), TraceFormat.AUTO)) {
      for (int rows = 0; rows < MOST_ROWS && trace.next() != null; rows++) {
        // a trace is read row by row
      }
      trace.adjustments();
    }
  }
}
