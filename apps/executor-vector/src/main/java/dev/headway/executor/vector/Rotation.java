package dev.headway.executor.vector;

import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.RopeConfig;

/**
 * The rotary position embedding of the rows of a step: element pair {@code (j, j + rotaryDim / 2)}
 * of each head turned by {@code position * inverseFrequencies[j]} and multiplied by the magnitude.
 * Workers prepare and turn different rows.
 */
final class Rotation {

  private final float[] inverseFrequencies;
  private final float magnitude;
  private final Activations cosines;
  private final Activations sines;

  Rotation(ModelConfig config, RopeConfig rope) {
    inverseFrequencies = config.inverseFrequencies(rope);
    magnitude = rope.magnitude();
    cosines = new Activations("cosines", inverseFrequencies.length);
    sines = new Activations("sines", inverseFrequencies.length);
  }

  void reserve(int rows) {
    cosines.reserve(rows);
    sines.reserve(rows);
  }

  /** Computes a row's angles, once for all layers and heads. */
  void prepare(int row, int position) {
    final int at = cosines.at(row);
    for (int j = 0; j < inverseFrequencies.length; j++) {
      final float angle = position * inverseFrequencies[j]; // a float product, as in transformers
      cosines.values()[at + j] = (float) Math.cos(angle) * magnitude;
      sines.values()[at + j] = (float) Math.sin(angle) * magnitude;
    }
  }

  /** Turns a head of a row, whose elements begin at {@code from}. */
  void turn(float[] heads, int from, int row) {
    final int pairs = inverseFrequencies.length;
    final int at = cosines.at(row);
    for (int j = 0; j < pairs; j++) {
      final float cosine = cosines.values()[at + j];
      final float sine = sines.values()[at + j];
      final float a = heads[from + j];
      final float b = heads[from + j + pairs];
      heads[from + j] = a * cosine - b * sine;
      heads[from + j + pairs] = b * cosine + a * sine;
    }
  }
}
