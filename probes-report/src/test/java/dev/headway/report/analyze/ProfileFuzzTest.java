package dev.headway.report.analyze;

import dev.headway.fuzz.ParserFuzz;
import java.io.ByteArrayInputStream;

/** Scheduling profiles, which are read as far as they make sense. */
class ProfileFuzzTest extends ParserFuzz {

  ProfileFuzzTest() {
    super();
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    try (StepTable table = new StepTable()) {
      ProfileReader.read(new ByteArrayInputStream(input), table);
    }
  }
}
