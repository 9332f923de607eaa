package dev.headway.simulation.workload.generated;

import dev.headway.fuzz.ParserFuzz;
import dev.headway.simulation.workload.TraceFormat;
import dev.headway.simulation.workload.TraceFormatException;
import dev.headway.simulation.workload.Workload;
import java.io.IOException;

/** Workload specs in YAML. */
class WorkloadSpecFuzzTest extends ParserFuzz {

  private static final int MOST_REQUESTS = 200;

  WorkloadSpecFuzzTest() {
    super(TraceFormatException.class, IOException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    try (Workload load = LoadFiles.open(file("spec.yaml", input), TraceFormat.AUTO)) {
      for (int requests = 0; requests < MOST_REQUESTS && load.next() != null; requests++) {
        // made one by one
      }
    }
  }

  @Override
  protected int spoiltInputs() {
    return 20;
  }
}
