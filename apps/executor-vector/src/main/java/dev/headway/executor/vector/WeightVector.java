package dev.headway.executor.vector;

import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelWeights;

/** Reads what is not a matrix: the weights of norms, and biases. Any thread. */
final class WeightVector {

  private WeightVector() {}

  /**
   * Reads the weights of a norm, [length]: what is stored, and what the family adds to it.
   *
   * @throws IllegalArgumentException if a weight is not finite
   */
  static float[] readNorm(Model model, String tensor, int length) {
    final float[] values = new float[length];
    read(model.weights(), tensor, values, 0, length);
    for (int i = 0; i < length; i++) {
      values[i] += model.config().family().normOffset();
    }
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
