package dev.headway.executor.model;

/**
 * Rotary position embedding: element pair {@code (j, j + headDim / 2)} of a head is turned by
 * {@code position * inverseFrequencies[j]}.
 *
 * @param theta base of the frequencies, > 0
 * @param scaling how they are stretched
 */
public record RopeConfig(double theta, RopeScaling scaling) {

  /** Validates the components. */
  public RopeConfig {
    if (!(theta > 0) || Double.isInfinite(theta)) {
      throw new IllegalArgumentException("rope_theta must be > 0 and finite: rope_theta=" + theta);
    }
  }

  /**
   * Radians per position of each pair, {@code theta^(-2j / headDim)}, scaled; rounded to float
   * where transformers keeps floats. Executors share this table, so that they turn by equal angles.
   */
  public float[] inverseFrequencies(int headDim) {
    final float[] frequencies = new float[headDim / 2];
    for (int j = 0; j < frequencies.length; j++) {
      final float power = (float) Math.pow(theta, 2f * j / headDim);
      frequencies[j] = scaled(1f / power);
    }
    return frequencies;
  }

  private float scaled(float frequency) {
    return switch (scaling) {
      case RopeScaling.None none -> frequency;
      case RopeScaling.Linear linear -> (float) (frequency / linear.factor());
      case RopeScaling.Llama3 llama3 -> scaled(frequency, llama3);
    };
  }

  private static float scaled(float frequency, RopeScaling.Llama3 s) {
    final double wavelength = 2 * Math.PI / frequency;
    if (wavelength < s.originalMaxPositions() / s.highFreqFactor()) {
      return frequency;
    }
    if (wavelength > s.originalMaxPositions() / s.lowFreqFactor()) {
      return (float) (frequency / s.factor());
    }
    final double smooth =
        (s.originalMaxPositions() / wavelength - s.lowFreqFactor())
            / (s.highFreqFactor() - s.lowFreqFactor());
    return (float) ((1 - smooth) * frequency / s.factor() + smooth * frequency);
  }
}
