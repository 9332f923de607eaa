package dev.headway.simulation.workload.generated;

import dev.headway.fuzz.ParserFuzz;
import dev.headway.simulation.workload.Workload;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Loads that are made up, as a text names them. */
class LoadTextFuzzTest extends ParserFuzz {

  private static final int MOST_REQUESTS = 200;

  LoadTextFuzzTest() {
    super(IllegalArgumentException.class, UncheckedIOException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    try (Workload load = NamedLoads.open(new String(input, StandardCharsets.UTF_8))) {
      for (int requests = 0; requests < MOST_REQUESTS && load.next() != null; requests++) {
        // made one by one
      }
    }
  }
}
