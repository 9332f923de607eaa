package dev.headway.executor.model;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
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
  private final Map<String, SafetensorsFile> taken = new HashMap<>();

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
    remove(suffix, file);
    return file.bytes(entry);
  }

  /** Numbers of F32, F16 or BF16, each finite and not below zero. */
  record Scales(MemorySegment bytes, WeightType type, int count) {

    /** One of them. */
    float at(long index) {
      return type.read(bytes, index);
    }

    /** All of them. */
    float[] values() {
      final float[] values = new float[count];
      type.read(bytes, 0, values, 0, count);
      return values;
    }
  }

  /** The scales of a tensor that must be there, in one of these shapes. */
  Scales takeScales(String suffix, List<List<Integer>> shapes) {
    final SafetensorsFile file = required(suffix);
    final SafetensorsHeader.Entry entry = file.entry(name(suffix));
    final WeightType type =
        WeightType.ofDtype(entry.dtype())
            .orElseThrow(
                () -> wrong(suffix, "dtype must be F32, F16 or BF16: dtype=" + entry.dtype()));
    requireShape(suffix, entry, shapes);
    final int count = entry.shape().stream().reduce(1, Math::multiplyExact);
    final Scales scales = new Scales(file.bytes(entry), type, count);
    for (int i = 0; i < count; i++) {
      final float scale = scales.at(i);
      if (!(scale >= 0 && scale < Float.POSITIVE_INFINITY)) {
        throw wrong(suffix, "scales must be finite and >= 0: index=" + i + ", scale=" + scale);
      }
    }
    remove(suffix, file);
    return scales;
  }

  /** The integers of a tensor of I32 or I64 that must be there, cut to 32 bits. */
  int[] takeInts(String suffix, int count) {
    final boolean isWide = "I64".equals(dtype(suffix));
    final MemorySegment bytes = take(suffix, isWide ? "I64" : "I32", List.of(List.of(count)));
    final int[] values = new int[count];
    for (int i = 0; i < count; i++) {
      values[i] = bytes.get(PackedInts.INT, (isWide ? 8L : 4L) * i);
    }
    return values;
  }

  private void remove(String suffix, SafetensorsFile file) {
    files.remove(name(suffix));
    taken.put(suffix, file);
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

  /** Blames one of its tensors, taken or not. */
  ModelFormatException wrong(String suffix, String reason) {
    final SafetensorsFile file =
        taken.containsKey(suffix) ? taken.get(suffix) : files.get(name(suffix));
    return new ModelFormatException(file == null ? listing : file.path(), name(suffix), reason);
  }

  private String name(String suffix) {
    return module + "." + suffix;
  }
}
