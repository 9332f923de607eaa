package dev.headway.executor.vector;

import dev.headway.executor.model.ModelWeights;

/** Reads what is not a matrix: the weights of norms, and biases. Any thread. */
final class WeightVector {

  private WeightVector() {}

  /**
   * Reads a whole tensor, [length].
   *
   * @throws IllegalArgumentException if a weight is not finite
   */
  static float[] read(ModelWeights source, String tensor, int length) {
    final float[] values = new float[length];
    read(source, tensor, values, 0, length);
    return values;
  }

  /**
   * Sets {@code length} elements of {@code target}, from {@code to} on, to a whole tensor.
   *
   * @throws IllegalArgumentException if a weight is not finite
   */
  static void read(ModelWeights source, String tensor, float[] target, int to, int length) {
    source.read(tensor, 0, target, to, length);
    for (int i = 0; i < length; i++) {
      if (!Float.isFinite(target[to + i])) {
        throw new IllegalArgumentException(
            "weights must be finite: tensor='"
                + tensor
                + "', index="
                + i
                + ", weight="
                + target[to + i]);
      }
    }
  }
}
