package dev.headway.executor.model;

import dev.headway.fuzz.ParserFuzz;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;

/** The header of a safetensors file, and where it says the tensors are. */
class SafetensorsFuzzTest extends ParserFuzz {

  SafetensorsFuzzTest() {
    super(ModelFormatException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    try (Arena arena = Arena.ofConfined()) {
      final SafetensorsFile file = SafetensorsFile.open(file("model.safetensors", input), arena);
      file.entries().values().forEach(entry -> file.bytes(entry).toArray(ValueLayout.JAVA_BYTE));
    }
  }
}
