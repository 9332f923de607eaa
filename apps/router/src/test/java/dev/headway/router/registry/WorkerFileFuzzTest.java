package dev.headway.router.registry;

import dev.headway.fuzz.ParserFuzz;
import java.io.IOException;

/** Files of workers. */
class WorkerFileFuzzTest extends ParserFuzz {

  WorkerFileFuzzTest() {
    super(IllegalArgumentException.class, IOException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    WorkerJson.readFile(file("workers.json", input));
  }
}
