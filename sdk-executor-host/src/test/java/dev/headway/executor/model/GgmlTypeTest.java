package dev.headway.executor.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Blocks against floats that {@code scripts/ggml-blocks.py} made after ggml's own loops. */
class GgmlTypeTest {

  static Stream<Arguments> blocks() throws IOException {
    final List<Arguments> blocks = new ArrayList<>();
    for (String line : Files.readAllLines(TestModels.resource("/ggml").resolve("blocks.txt"))) {
      final String[] fields = line.split(" ");
      blocks.add(Arguments.of(GgmlType.valueOf(fields[0]), fields[1], fields[2]));
    }
    return blocks.stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("blocks")
  void shouldReadABlockToTheLastBit(GgmlType type, String block, String floats) {
    final byte[] bytes = HexFormat.of().parseHex(block);
    final ByteBuffer expected =
        ByteBuffer.wrap(HexFormat.of().parseHex(floats)).order(ByteOrder.LITTLE_ENDIAN);
    assertThat(bytes).hasSize(type.bytes());
    assertThat(expected.remaining()).isEqualTo(4 * type.elements());
    final GgufTensor tensor =
        new GgufTensor(
            new TensorSpec("t", 1, type.elements()), type, MemorySegment.ofArray(bytes), 0);
    final float[] read = new float[type.elements()];
    tensor.read(0, read, 0, read.length);
    final byte[] codes = new byte[type.elements()];
    tensor.readCodes(0, MemorySegment.ofArray(codes), codes.length);

    for (int i = 0; i < read.length; i++) {
      final int group = tensor.group(i);
      assertThat(read[i]).as("element %d", i).isEqualTo(expected.getFloat(4 * i));
      assertThat(codes[i] * tensor.scale(0, group) - tensor.offset(0, group)).isEqualTo(read[i]);
    }
  }

  @Test
  void shouldKnowTheNamesOfTypesThatAreNotRead() {
    assertThat(GgmlType.name(10)).isEqualTo("Q2_K");
    assertThat(GgmlType.name(39)).isEqualTo("MXFP4");
    assertThat(GgmlType.name(-1)).isEqualTo("4294967295");
    for (GgmlType type : GgmlType.values()) {
      assertThat(GgmlType.of(number(type.name()))).contains(type);
    }
  }

  private static int number(String name) {
    int number = 0;
    while (!GgmlType.name(number).equals(name)) {
      number++;
    }
    return number;
  }
}
