package dev.headway.executor.model;

import dev.headway.fuzz.ParserFuzz;

/** A GGUF file: its metadata, and where it says the tensors are. */
class GgufFuzzTest extends ParserFuzz {

  GgufFuzzTest() {
    super(ModelFormatException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    try (Model model = Model.load(file("model.gguf", input))) {
      for (TensorSpec tensor : ModelLayout.of(model.config())) {
        final float[] last = new float[1];
        model.weights().read(tensor.name(), tensor.elements() - 1, last, 0, 1);
      }
    }
  }
}
