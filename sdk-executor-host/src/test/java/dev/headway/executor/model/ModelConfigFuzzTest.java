package dev.headway.executor.model;

import dev.headway.fuzz.ParserFuzz;

/** {@code config.json} of a model folder. */
class ModelConfigFuzzTest extends ParserFuzz {

  ModelConfigFuzzTest() {
    super(ModelFormatException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    Model.readConfig(file("config.json", input).getParent());
  }
}
