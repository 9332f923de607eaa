package dev.headway.executor.model;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tensors of a linear layer: {@code weight} and what lies beside it under the layer's name.
 * What is taken is not unexpected later.
 */
final class MatrixFile {

  private final Map<String, SafetensorsFile> files;
  private final Path listing;
  private final String module;
  private final int rows;
  private final int columns;

  /**
   * Names a layer.
   *
   * @param files by the tensors that are not taken yet
   * @param listing what is to blame for a tensor that is missing
   * @param module the layer's name in the files
   * @param shape [rows, columns] of its matrix
   */
  MatrixFile(Map<String, SafetensorsFile> files, Path listing, String module, List<Integer> shape) {
    this.files = files;
    this.listing = listing;
    this.module = module;
    this.rows = shape.get(0);
    this.columns = shape.get(1);
  }

  /** Outputs. */
  int rows() {
    return rows;
  }

  /** Inputs. */
  int columns() {
    return columns;
  }

  /** The dtype of one of its tensors; null if it is not there. */
  @Nullable String dtype(String suffix) {
    final SafetensorsFile file = files.get(name(suffix));
    return file == null ? null : file.entry(name(suffix)).dtype();
  }

  /** The bytes of a tensor that must be there, of this dtype and one of these shapes. */
  MemorySegment take(String suffix, String dtype, List<List<Integer>> shapes) {
    final SafetensorsFile file = required(suffix);
    final SafetensorsHeader.Entry entry = file.entry(name(suffix));
    if (!entry.dtype().equals(dtype)) {
      throw wrong(
          suffix,
          "dtype must be "
              + dtype
              + " as quantization_config of config.json says: dtype="
              + entry.dtype());
    }
    requireShape(suffix, entry, shapes);
    files.remove(name(suffix));
    return file.bytes(entry);
  }

  /** The numbers of a tensor of F32, F16 or BF16 that must be there, in one of these shapes. */
  float[] takeFloats(String suffix, List<List<Integer>> shapes) {
    final SafetensorsFile file = required(suffix);
    final SafetensorsHeader.Entry entry = file.entry(name(suffix));
    final WeightType type =
        Arrays.stream(WeightType.values())
            .filter(t -> t.name().equals(entry.dtype()))
            .findFirst()
            .orElseThrow(
                () -> wrong(suffix, "dtype must be F32, F16 or BF16: dtype=" + entry.dtype()));
    requireShape(suffix, entry, shapes);
    final float[] values = new float[entry.shape().stream().reduce(1, Math::multiplyExact)];
    type.read(file.bytes(entry), 0, values, 0, values.length);
    files.remove(name(suffix));
    return values;
  }

  /** As {@link #takeFloats}, each finite and not below zero. */
  float[] takeScales(String suffix, List<List<Integer>> shapes) {
    final float[] scales = takeFloats(suffix, shapes);
    for (int i = 0; i < scales.length; i++) {
      if (!(scales[i] >= 0 && scales[i] < Float.POSITIVE_INFINITY)) {
        throw wrong(suffix, "scales must be finite and >= 0: index=" + i + ", scale=" + scales[i]);
      }
    }
    return scales;
  }

  private SafetensorsFile required(String suffix) {
    final SafetensorsFile file = files.get(name(suffix));
    if (file == null) {
      throw new ModelFormatException(
          listing,
          name(suffix),
          "tensor is missing, which quantization_config of config.json asks for");
    }
    return file;
  }

  private void requireShape(
      String suffix, SafetensorsHeader.Entry entry, List<List<Integer>> shapes) {
    if (!shapes.contains(entry.shape())) {
      throw wrong(
          suffix,
          "shape must be that of config.json and its quantization_config: shape="
              + entry.shape()
              + ", expected="
              + (shapes.size() == 1 ? shapes.getFirst() : "one of " + shapes));
    }
  }

  /** Blames one of its tensors that is there. */
  ModelFormatException wrong(String suffix, String reason) {
    final SafetensorsFile file = files.get(name(suffix));
    return new ModelFormatException(file == null ? listing : file.path(), name(suffix), reason);
  }

  private String name(String suffix) {
    return module + "." + suffix;
  }
}
