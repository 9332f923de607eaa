package dev.headway.simulation.fit;

import dev.headway.fuzz.ParserFuzz;
import java.io.IOException;
import java.nio.file.Path;

/** Recorded steps: scheduling profiles and OTLP JSON. */
class RecordedStepsFuzzTest extends ParserFuzz {

  RecordedStepsFuzzTest() {
    super(IOException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    final Path file = file("steps.jsonl", input);
    if (ProfileSteps.isProfile(file)) {
      ProfileSteps.read(file, new RecordedSteps("profile"));
    } else {
      OtlpSteps.read(file, new RecordedSteps("spans"));
    }
  }
}
