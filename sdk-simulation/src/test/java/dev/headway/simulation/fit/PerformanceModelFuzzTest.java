package dev.headway.simulation.fit;

import dev.headway.fuzz.ParserFuzz;
import java.io.IOException;

/** Files of fitted step times. */
class PerformanceModelFuzzTest extends ParserFuzz {

  PerformanceModelFuzzTest() {
    super(IllegalArgumentException.class, IOException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    PerformanceModelFile.read(
        file("model.json", input), RecordedFixture.PASS, RecordedFixture.H100, null);
  }
}
