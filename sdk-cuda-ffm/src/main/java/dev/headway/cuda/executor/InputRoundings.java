package dev.headway.cuda.executor;

import dev.headway.cuda.kernel.RoundedProducts;
import dev.headway.executor.model.InputQuantization;
import dev.headway.executor.model.ModelWeights;
import dev.headway.executor.model.QuantizedMatrix;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the inputs of a product are rounded, as its matrices say, or why no kernel can. Stateless.
 */
final class InputRoundings {
  private static final String OTHERWISE = "; precision BFLOAT16 leaves inputs as they are";

  private InputRoundings() {}

  /**
   * What the matrices of one product, which have the same inputs, say.
   *
   * @param tensors full names, at least one
   * @throws IllegalArgumentException if they differ, since their inputs are rounded once
   */
  static InputQuantization of(ModelWeights weights, List<String> tensors) {
    final InputQuantization first = of(weights, tensors.getFirst());
    for (String tensor : tensors) {
      final InputQuantization other = of(weights, tensor);
      if (!other.equals(first)) {
        throw new IllegalArgumentException(
            "inputs of one product must be rounded alike for precision QUANTIZED: "
                + tensors.getFirst()
                + "="
                + first
                + ", "
                + tensor
                + "="
                + other
                + OTHERWISE);
      }
    }
    return first;
  }

  private static InputQuantization of(ModelWeights weights, String tensor) {
    return weights
        .quantized(tensor)
        .map(QuantizedMatrix::inputs)
        .orElseGet(InputQuantization.None::new);
  }

  /** Adjacent inputs that share a scale. */
  static int columns(InputQuantization how, int inputs) {
    return how instanceof InputQuantization.PerGroup group
        ? Math.min(group.columns(), inputs)
        : inputs;
  }

  /**
   * Returns the layout of a matrix that has one its kernels take.
   *
   * @param layout of the codes; null if the matrix is not kept as such
   * @throws IllegalArgumentException if there are no kernels for it; says for what
   */
  static CodeLayout required(
      @Nullable CodeLayout layout, InputQuantization how, int inputs, String tensor) {
    if (layout == null) {
      throw new IllegalArgumentException(
          "weights of a product whose inputs are rounded must be eight-bit floats with scales of"
              + " equally many columns for precision QUANTIZED: tensor="
              + tensor
              + OTHERWISE);
    }
    final int columns = columns(how, inputs);
    if (!RoundedProducts.takes(layout.columns(), columns, inputs)) {
      throw new IllegalArgumentException(
          "scales must be those of rows, or of 64, 128, 256 and so on columns, for precision"
              + " QUANTIZED: tensor="
              + tensor
              + ", columns of weights="
              + layout.columns()
              + ", columns of inputs="
              + columns
              + OTHERWISE);
    }
    return layout;
  }

  /**
   * Refuses experts whose inputs are rounded.
   *
   * @throws IllegalArgumentException if a matrix says so
   */
  static void refuseExperts(ModelWeights weights, List<String> tensors) {
    for (String tensor : tensors) {
      if (!(of(weights, tensor) instanceof InputQuantization.None)) {
        throw new IllegalArgumentException(
            "experts must not have their inputs rounded for precision QUANTIZED, which has no"
                + " kernels for them: tensor="
                + tensor
                + OTHERWISE);
      }
    }
  }
}
