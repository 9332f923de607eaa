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
    if (scaling instanceof RopeScaling.Yarn && !(theta > 1)) {
      throw new IllegalArgumentException(
          "rope_theta must be > 1 with rope_type yarn: rope_theta=" + theta);
    }
  }

  /**
   * Radians per position of each pair, {@code theta^(-2j / headDim)}, scaled; rounded to float
   * where transformers keeps floats. Executors share this table, so that they turn by equal angles.
   */
  public float[] inverseFrequencies(int headDim) {
    final float[] frequencies = new float[headDim / 2];
    for (int j = 0; j < frequencies.length; j++) {
      frequencies[j] = scaled((float) Math.pow(theta, 2f * j / headDim), j, headDim);
    }
    return frequencies;
  }

  /** What sines and cosines are multiplied by; 1 unless the scaling has a factor of attention. */
  public float magnitude() {
    return scaling instanceof RopeScaling.Yarn yarn ? (float) yarn.attentionFactor() : 1;
  }

  /** The inverse of pair {@code j}'s {@code power} of theta, scaled. */
  private float scaled(float power, int j, int headDim) {
    final float frequency = 1f / power;
    return switch (scaling) {
      case RopeScaling.None none -> frequency;
      case RopeScaling.Linear linear -> (float) (frequency / linear.factor());
      case RopeScaling.Llama3 llama3 -> scaled(frequency, llama3);
      case RopeScaling.Yarn yarn -> {
        final float kept = 1 - stretched(yarn, j, headDim);
        final float slow = 1f / ((float) yarn.factor() * power);
        yield slow * (1 - kept) + frequency * kept;
      }
    };
  }

  /** How much of pair {@code j} is stretched, from 0 to 1: a ramp over the pairs. */
  private float stretched(RopeScaling.Yarn yarn, int j, int headDim) {
    double first = pairOfTurns(yarn.betaFast(), yarn, headDim);
    double last = pairOfTurns(yarn.betaSlow(), yarn, headDim);
    if (yarn.truncate()) {
      first = Math.floor(first);
      last = Math.ceil(last);
    }
    first = Math.max(first, 0);
    last = Math.min(last, headDim - 1);
    if (first == last) {
      last += 0.001; // no division by zero
    }
    return Math.clamp((j - (float) first) / (float) (last - first), 0f, 1f);
  }

  /** The pair, a fraction, that makes so many turns within the context of the training. */
  private double pairOfTurns(double turns, RopeScaling.Yarn yarn, int headDim) {
    return headDim
        * Math.log(yarn.originalMaxPositions() / (turns * 2 * Math.PI))
        / (2 * Math.log(theta));
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
