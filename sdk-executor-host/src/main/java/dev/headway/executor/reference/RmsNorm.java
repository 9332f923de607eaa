package dev.headway.executor.reference;

import dev.headway.executor.model.Model;

/** RMSNorm: {@code x * weight / sqrt(mean(x^2) + eps)} (Zhang, Sennrich 2019). */
final class RmsNorm {

  private RmsNorm() {}

  /** Reads the weights of a norm: what is stored, and what the family adds to it. */
  static float[] weights(Model model, String tensor, int length, Precision precision) {
    final float[] weights = Linear.vector(model.weights(), tensor, length, precision);
    for (int i = 0; i < length; i++) {
      weights[i] += model.config().family().normOffset();
    }
    return weights;
  }

  /** Normalises {@code weight.length} elements; source and target may be the same place. */
  static void apply(
      float[] x, int from, float[] weight, float eps, float[] y, int to, Precision precision) {
    double squares = 0;
    for (int i = 0; i < weight.length; i++) {
      squares += (double) x[from + i] * x[from + i];
    }
    final float inverse = (float) (1 / Math.sqrt(squares / weight.length + eps));
    for (int i = 0; i < weight.length; i++) {
      y[to + i] = precision.round(x[from + i] * inverse * weight[i]);
    }
  }
}
