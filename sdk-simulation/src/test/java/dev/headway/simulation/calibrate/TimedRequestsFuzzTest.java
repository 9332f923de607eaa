package dev.headway.simulation.calibrate;

import dev.headway.fuzz.ParserFuzz;
import java.io.IOException;
import java.nio.file.Path;

/** Measured requests. */
class TimedRequestsFuzzTest extends ParserFuzz {

  TimedRequestsFuzzTest() {
    super(IOException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    final Path file = file("measured.csv", input);
    TimedRequests.isIn(file);
    TimedRequests.readUsable(file);
    TimedRequests.read(file);
  }
}
