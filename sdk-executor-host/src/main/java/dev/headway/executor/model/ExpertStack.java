package dev.headway.executor.model;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * One kind of tensor of all experts of a layer, as the files of gpt-oss hold it. Gates and inputs
 * are one tensor, in which the outputs of the two alternate. Plain weights are [experts, inputs,
 * outputs], biases [experts, outputs], MXFP4 [experts, outputs, inputs / 32, 16] beside scales.
 *
 * <p>Source: {@code GptOssExperts} of {@code modeling_gpt_oss.py} and {@code
 * convert_moe_packed_tensors} of {@code integrations/mxfp4.py} in transformers.
 */
record ExpertStack(FileTensor tensor) {

  private static final Pattern PART =
      Pattern.compile("\\.mlp\\.experts\\.\\d+\\.(gate|up|down)_proj\\.(weight|bias)$");
  private static final Pattern WHOLE =
      Pattern.compile("\\.mlp\\.experts\\.(gate_up|down)_proj(_bias)?$");

  /**
   * What files call the stack that has a tensor of {@link ModelLayout}; others stay as they are.
   */
  static String nameInFile(String tensor) {
    return PART.matcher(tensor)
        .replaceFirst(
            match ->
                ".mlp.experts."
                    + (match.group(1).equals("down") ? "down" : "gate_up")
                    + "_proj"
                    + (match.group(2).equals("bias") ? "_bias" : ""));
  }

  /** Whether a tensor of a file is one. */
  static boolean isOne(FileTensor tensor) {
    return WHOLE.matcher(tensor.name()).find();
  }

  /** Whether it is of biases. */
  boolean isOfBiases() {
    return tensor.parts().getFirst().shape().size() == 1;
  }

  /** Tensors of an expert whose outputs alternate. */
  private int together() {
    return tensor.name().contains("gate_up") ? 2 : 1;
  }

  private int rows() {
    return tensor.parts().getFirst().shape().getFirst();
  }

  private int columns() {
    return isOfBiases() ? 1 : tensor.parts().getFirst().shape().get(1);
  }

  private int experts() {
    return tensor.parts().size() / together();
  }

  /** Sizes of the dimensions of a plain tensor. */
  List<Integer> shape() {
    final int outputs = Math.multiplyExact(rows(), together());
    return isOfBiases() ? List.of(experts(), outputs) : List.of(experts(), columns(), outputs);
  }

  /** Its parts, in a plain tensor. */
  List<StoredTensor> plain(WeightType type, MemorySegment bytes) {
    final List<StoredTensor> stored = new ArrayList<>();
    for (int part = 0; part < tensor.parts().size(); part++) {
      stored.add(
          new StoredTensor.Strided(
              tensor.parts().get(part),
              type,
              bytes,
              (long) (part / together()) * columns() * rows() * together() + part % together(),
              together(),
              (long) rows() * together()));
    }
    return stored;
  }

  /** Sizes of the dimensions of the codes, two to a byte. */
  List<Integer> blocksShape() {
    final List<Integer> shape = new ArrayList<>(scalesShape());
    shape.add(Mxfp4Matrix.BLOCK / 2);
    return shape;
  }

  /** Sizes of the dimensions of the scales. */
  List<Integer> scalesShape() {
    return List.of(experts(), rows() * together(), columns() / Mxfp4Matrix.BLOCK);
  }

  /** Its parts, in a tensor of codes and one of scales. */
  List<StoredTensor> mxfp4(MemorySegment blocks, MemorySegment scales) {
    final List<StoredTensor> stored = new ArrayList<>();
    for (int part = 0; part < tensor.parts().size(); part++) {
      final long first = (long) (part / together()) * rows() * together() + part % together();
      stored.add(
          new QuantizedTensor(
              tensor.parts().get(part),
              new Mxfp4Matrix(blocks, scales, first, together(), rows(), columns()),
              0));
    }
    return stored;
  }

  /** Puts an expert's parts, each row-major, in the order of a plain file. */
  float[] interleaved(List<float[]> parts) {
    final float[] values = new float[Math.multiplyExact(parts.size(), rows() * columns())];
    int to = 0;
    for (int column = 0; column < columns(); column++) {
      for (int row = 0; row < rows(); row++) {
        for (float[] part : parts) {
          values[to++] = part[row * columns() + column];
        }
      }
    }
    return values;
  }

  /** The parts of each expert. */
  List<List<TensorSpec>> byExpert() {
    final List<List<TensorSpec>> experts = new ArrayList<>();
    for (int part = 0; part < tensor.parts().size(); part += together()) {
      experts.add(tensor.parts().subList(part, part + together()));
    }
    return experts;
  }
}
