package dev.headway.executor.vector;

import dev.headway.executor.model.Activation;
import jdk.incubator.vector.FloatVector;

/** What happens to a row between the products. Each element depends on its own row alone. */
final class RowMath {

  /** A row's element costs about as much as so many multiply-adds of a product. */
  static final long ELEMENT = 8;

  private static final float LINEAR = (float) Activation.GELU_LINEAR;
  private static final float CUBIC = (float) Activation.GELU_CUBIC;

  private RowMath() {}

  /**
   * RMSNorm: {@code x * weight / sqrt(mean(x^2) + eps)}, of {@code length} elements; source and
   * target may be the same place. Squares are summed in double, in four chains, every fourth
   * element each.
   */
  static void norm(float[] x, int from, float[] weight, int length, float eps, float[] y, int to) {
    double s0 = 0;
    double s1 = 0;
    double s2 = 0;
    double s3 = 0;
    int i = 0;
    for (; i + 4 <= length; i += 4) {
      s0 += square(x[from + i]);
      s1 += square(x[from + i + 1]);
      s2 += square(x[from + i + 2]);
      s3 += square(x[from + i + 3]);
    }
    for (; i < length; i++) {
      s0 += square(x[from + i]);
    }
    final float inverse = (float) (1 / Math.sqrt((s0 + s1 + (s2 + s3)) / length + eps));
    for (int j = 0; j < length; j++) {
      y[to + j] = x[from + j] * inverse * weight[j];
    }
  }

  private static double square(float value) {
    return (double) value * value;
  }

  /** Multiplies {@code length} elements. */
  static void scale(float[] x, int from, float factor, int length) {
    for (int i = from; i < from + length; i++) {
      x[i] *= factor;
    }
  }

  /** Adds {@code length} elements times a factor; two roundings each, as the reference. */
  static void addScaled(float[] x, int from, float factor, float[] y, int to, int length) {
    for (int i = 0; i < length; i++) {
      y[to + i] += factor * x[from + i];
    }
  }

  /** Adds {@code length} elements. */
  static void add(float[] x, int from, float[] y, int to, int length) {
    for (int i = 0; i < length; i++) {
      y[to + i] += x[from + i];
    }
  }

  /**
   * SwiGLU of a panel: {@code gate = gate / (1 + exp(-gate)) * up} (Shazeer 2020).
   *
   * @param at of the panel's first element in both
   */
  private static void swiGlu(float[] gates, float[] ups, int at) {
    for (int i = at; i < at + Lanes.PANEL; i += Lanes.COUNT) {
      final FloatVector gate = FloatVector.fromArray(Lanes.FLOATS, gates, i);
      final FloatVector up = FloatVector.fromArray(Lanes.FLOATS, ups, i);
      gate.div(Exponential.of(gate.neg()).add(1)).mul(up).intoArray(gates, i);
    }
  }

  /**
   * A panel of a gated feed-forward: {@code gate = activation(gate) * up}, as {@link
   * Activation#product} says.
   *
   * @param at of the panel's first element in both
   */
  static void gate(Activation activation, float[] gates, float[] ups, int at) {
    switch (activation) {
      case SILU -> swiGlu(gates, ups, at);
      case GELU_TANH -> geGlu(gates, ups, at);
      case CLAMPED_SILU -> clampedSwiGlu(gates, ups, at);
    }
  }

  private static void clampedSwiGlu(float[] gates, float[] ups, int at) {
    for (int i = at; i < at + Lanes.PANEL; i += Lanes.COUNT) {
      final FloatVector gate = FloatVector.fromArray(Lanes.FLOATS, gates, i).min(Activation.LIMIT);
      final FloatVector up =
          FloatVector.fromArray(Lanes.FLOATS, ups, i).min(Activation.LIMIT).max(-Activation.LIMIT);
      gate.div(Exponential.of(gate.mul(-Activation.ALPHA)).add(1))
          .mul(up.add(1))
          .intoArray(gates, i);
    }
  }

  /**
   * GeGLU of a panel: {@code gate = gelu(gate) * up}, by the approximation with a tangent ({@link
   * dev.headway.executor.model.Activation#GELU_TANH}).
   *
   * @param at of the panel's first element in both
   */
  private static void geGlu(float[] gates, float[] ups, int at) {
    for (int i = at; i < at + Lanes.PANEL; i += Lanes.COUNT) {
      final FloatVector gate = FloatVector.fromArray(Lanes.FLOATS, gates, i);
      final FloatVector up = FloatVector.fromArray(Lanes.FLOATS, ups, i);
      final FloatVector twiceU = gate.mul(gate).mul(CUBIC).add(LINEAR).mul(gate);
      gate.div(Exponential.of(twiceU.neg()).add(1)).mul(up).intoArray(gates, i);
    }
  }
}
