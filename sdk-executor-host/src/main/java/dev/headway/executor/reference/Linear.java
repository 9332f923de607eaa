package dev.headway.executor.reference;

import dev.headway.executor.model.InputQuantization;
import dev.headway.executor.model.ModelWeights;
import dev.headway.executor.model.QuantizedMatrix;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A linear layer, {@code y = W x + b}.
 *
 * <p>The matrix is kept input-major, so that the inner loop runs over outputs: it has no reduction,
 * and C2 turns it into vector instructions. Products are summed in the order of the inputs, one
 * float rounding each, whatever the batch.
 */
final class Linear {

  private static final int ROWS_TOGETHER = 8;

  private final int inputs;
  private final int outputs;
  private final float[] weights;
  private final float @Nullable [] bias;
  private final InputQuantization rounding;

  private Linear(
      int inputs,
      int outputs,
      float[] weights,
      float @Nullable [] bias,
      InputQuantization rounding) {
    this.inputs = inputs;
    this.outputs = outputs;
    this.weights = weights;
    this.bias = bias;
    this.rounding = rounding;
  }

  /** Reads the tensor {@code weight}, [outputs, inputs], and {@code bias}, [outputs], if any. */
  static Linear read(
      ModelWeights source,
      String weight,
      @Nullable String bias,
      int inputs,
      int outputs,
      Precision precision) {
    requireFits(weight, (long) inputs * outputs);
    final Optional<QuantizedMatrix> quantized =
        precision == Precision.QUANTIZED ? source.quantized(weight) : Optional.empty();
    final float[] transposed = new float[inputs * outputs];
    final float[] row = new float[inputs];
    for (int n = 0; n < outputs; n++) {
      source.read(weight, (long) n * inputs, row, 0, inputs);
      for (int k = 0; k < inputs; k++) {
        transposed[k * outputs + n] = quantized.isPresent() ? row[k] : precision.round(row[k]);
      }
    }
    return new Linear(
        inputs,
        outputs,
        transposed,
        bias == null ? null : vector(source, bias, outputs, precision),
        quantized.map(QuantizedMatrix::inputs).orElseGet(InputQuantization.None::new));
  }

  /**
   * Refuses a tensor that no array can hold.
   *
   * @throws IllegalArgumentException if it is too large
   */
  static void requireFits(String tensor, long elements) {
    if (elements > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "a tensor must fit a Java array in the reference executor: tensor='"
              + tensor
              + "', elements="
              + elements);
    }
  }

  /** Reads a tensor of one dimension. */
  static float[] vector(ModelWeights source, String tensor, int length, Precision precision) {
    final float[] values = new float[length];
    source.read(tensor, 0, values, 0, length);
    precision.round(values, length);
    return values;
  }

  int inputs() {
    return inputs;
  }

  int outputs() {
    return outputs;
  }

  /** Sets rows [0, rows) of {@code y} to the layer's outputs for those of {@code inputsOfRows}. */
  void apply(float[] inputsOfRows, int rows, float[] y) {
    final float[] x = InputRounding.rounded(rounding, inputsOfRows, rows, inputs);
    Arrays.fill(y, 0, rows * outputs, 0);
    for (int first = 0; first < rows; first += ROWS_TOGETHER) {
      final int end = Math.min(rows, first + ROWS_TOGETHER);
      for (int k = 0; k < inputs; k += 4) {
        for (int row = first; row < end; row++) {
          addInputs(x, row * inputs, k, y, row * outputs);
        }
      }
    }
    if (bias != null) {
      for (int i = 0; i < rows * outputs; i++) {
        y[i] += bias[i % outputs];
      }
    }
  }

  private void addInputs(float[] x, int xRow, int k, float[] y, int yRow) {
    if (k + 4 <= inputs) {
      addFour(
          weights,
          k * outputs,
          outputs,
          y,
          yRow,
          x[xRow + k],
          x[xRow + k + 1],
          x[xRow + k + 2],
          x[xRow + k + 3]);
      return;
    }
    for (int rest = k; rest < inputs; rest++) {
      addOne(weights, rest * outputs, outputs, y, yRow, x[xRow + rest]);
    }
  }

  private static void addFour(
      float[] w, int from, int n, float[] y, int to, float x0, float x1, float x2, float x3) {
    for (int i = 0; i < n; i++) {
      y[to + i] =
          y[to + i]
              + w[from + i] * x0
              + w[from + n + i] * x1
              + w[from + 2 * n + i] * x2
              + w[from + 3 * n + i] * x3;
    }
  }

  private static void addOne(float[] w, int from, int n, float[] y, int to, float x) {
    for (int i = 0; i < n; i++) {
      y[to + i] += w[from + i] * x;
    }
  }
}
