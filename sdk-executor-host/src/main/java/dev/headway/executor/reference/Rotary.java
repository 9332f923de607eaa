package dev.headway.executor.reference;

import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.RopeConfig;

/**
 * The rotary position embedding of the rows of a step: element pair {@code (j, j + rotaryDim / 2)}
 * of each head turned by {@code position * inverseFrequencies[j]}, a float product as in
 * transformers, and multiplied by the magnitude.
 */
final class Rotary {

  private final float[] inverseFrequencies;
  private final float magnitude;
  private float[] cosines = {};
  private float[] sines = {};

  Rotary(ModelConfig config, RopeConfig rope) {
    inverseFrequencies = config.inverseFrequencies(rope);
    magnitude = rope.magnitude();
  }

  /** Computes the angles once for all layers and heads. */
  void prepare(Rows rows) {
    final int pairs = inverseFrequencies.length;
    if (cosines.length < rows.count() * pairs) {
      cosines = new float[rows.count() * pairs];
      sines = new float[rows.count() * pairs];
    }
    for (int row = 0; row < rows.count(); row++) {
      for (int j = 0; j < pairs; j++) {
        final float angle = rows.position(row) * inverseFrequencies[j];
        cosines[row * pairs + j] = (float) Math.cos(angle) * magnitude;
        sines[row * pairs + j] = (float) Math.sin(angle) * magnitude;
      }
    }
  }

  /** Turns one head of a row; its elements begin at {@code offset}. */
  void turn(float[] head, int offset, int row, Precision precision) {
    final int pairs = inverseFrequencies.length;
    for (int j = 0; j < pairs; j++) {
      final float cosine = cosines[row * pairs + j];
      final float sine = sines[row * pairs + j];
      final float a = head[offset + j];
      final float b = head[offset + j + pairs];
      head[offset + j] = precision.round(a * cosine - b * sine);
      head[offset + j + pairs] = precision.round(b * cosine + a * sine);
    }
  }
}
