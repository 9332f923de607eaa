package dev.headway.executor.reference;

/** RMSNorm: {@code x * weight / sqrt(mean(x^2) + eps)} (Zhang, Sennrich 2019). */
final class RmsNorm {

  private RmsNorm() {}

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
