package dev.headway.simulation.model;

import dev.headway.fuzz.ParserFuzz;

/** {@code config.json} of models that are simulated. */
class ModelSpecFuzzTest extends ParserFuzz {

  ModelSpecFuzzTest() {
    super(ModelSpecException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    ModelSpecReader.read(file("config.json", input)).toString();
  }
}
