package dev.headway.executor.model;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code weight} of dtype F8_E4M3, [outputs, inputs], a tensor of scales, and one of the inputs'
 * scale where that is static. {@code weight = code * scale} whatever the scales' tensor is called:
 * {@code weight_scale_inv} is the inverse of what was multiplied by when weights were quantised.
 *
 * <p>Sources: {@code FP8Linear} and {@code Fp8Dequantize} in transformers' {@code
 * integrations/finegrained_fp8.py}, {@code Fp8LinearMethod} in vLLM's {@code quantization/fp8.py},
 * {@code initialize_qparams} in compressed-tensors' {@code quantization/lifecycle/initialize.py}.
 *
 * @param layout which weights share a scale
 * @param scaleNames what the scales' tensor is called, the first that is there
 * @param inputs how inputs are rounded; null if by a scale that is in the file
 * @param inputScaleNames what the tensor of that scale is called, the first that is there
 * @param mayBePlain whether a weight of F32, F16 or BF16 is one that was not quantised
 */
record E4m3Format(
    Layout layout,
    List<String> scaleNames,
    @Nullable InputQuantization inputs,
    List<String> inputScaleNames,
    boolean mayBePlain)
    implements MatrixFormat {

  private static final String WEIGHT = "weight";
  private static final String DTYPE = "F8_E4M3";
  private static final List<List<Integer>> ONE = List.of(List.of(1), List.of(), List.of(1, 1));

  /** Which weights share a scale. */
  sealed interface Layout {
    /** All. */
    record Tensor() implements Layout {}

    /** Those of an output. */
    record Channel() implements Layout {}

    /** Those of a block, both sizes >= 1. */
    record Block(int rows, int columns) implements Layout {}
  }

  @Override
  public @Nullable QuantizedMatrix open(MatrixFile file) {
    final String dtype = file.dtype(WEIGHT);
    if (mayBePlain && dtype != null && !dtype.startsWith("F8_")) {
      return null;
    }
    final MemorySegment codes =
        file.take(WEIGHT, DTYPE, List.of(List.of(file.rows(), file.columns())));
    return new QuantizedTensor.OfE4m3(codes, scales(file), inputs(file));
  }

  private ScaleGrid scales(MatrixFile file) {
    final int rows = file.rows();
    final int columns = file.columns();
    final String name = first(file, scaleNames);
    return switch (layout) {
      case Layout.Tensor tensor ->
          new ScaleGrid(rows, columns, rows, columns, file.takeScales(name, ONE).values());
      case Layout.Channel channel ->
          new ScaleGrid(
              rows,
              columns,
              1,
              columns,
              file.takeScales(name, List.of(List.of(rows, 1), List.of(rows))).values());
      case Layout.Block block -> {
        final List<Integer> shape =
            List.of(Math.ceilDiv(rows, block.rows()), Math.ceilDiv(columns, block.columns()));
        yield new ScaleGrid(
            rows,
            columns,
            block.rows(),
            block.columns(),
            file.takeScales(name, List.of(shape)).values());
      }
    };
  }

  private InputQuantization inputs(MatrixFile file) {
    if (inputs != null) {
      return inputs;
    }
    final String name = first(file, inputScaleNames);
    final float scale = file.takeScales(name, ONE).at(0);
    if (scale == 0) {
      throw file.wrong(name, "scale of inputs must be above zero: scale=" + scale);
    }
    return new InputQuantization.Static(scale);
  }

  private static String first(MatrixFile file, List<String> names) {
    return names.stream()
        .filter(name -> file.dtype(name) != null)
        .findFirst()
        .orElse(names.getFirst());
  }
}
