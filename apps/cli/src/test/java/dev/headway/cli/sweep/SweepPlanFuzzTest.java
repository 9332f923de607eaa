package dev.headway.cli.sweep;

import dev.headway.fuzz.ParserFuzz;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Plans of sweeps in YAML. */
class SweepPlanFuzzTest extends ParserFuzz {

  SweepPlanFuzzTest() {
    super(PlanException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    PlanReader.read("plan.yaml", new String(input, StandardCharsets.UTF_8), Path.of("."));
  }

  @Override
  protected int spoiltInputs() {
    return 20;
  }
}
