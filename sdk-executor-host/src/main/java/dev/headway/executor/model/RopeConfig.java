package dev.headway.executor.model;

/**
 * Rotary position embedding: element pair {@code (j, j + rotaryDim / 2)} of a head is turned by
 * {@code position * inverseFrequencies[j]}; elements from {@code rotaryDim} on stay as they are.
 *
 * @param theta base of the frequencies, > 0
 * @param scaling how they are stretched
 * @param partialRotaryFactor the part of each head that is turned, in (0, 1]
 */
public record RopeConfig(double theta, RopeScaling scaling, double partialRotaryFactor) {

  /** Validates the components. */
  public RopeConfig {
    if (!(theta > 0) || Double.isInfinite(theta)) {
      throw new IllegalArgumentException("rope_theta must be > 0 and finite: rope_theta=" + theta);
    }
    if (scaling instanceof RopeScaling.Yarn && !(theta > 1)) {
      throw new IllegalArgumentException(
          "rope_theta must be > 1 with rope_type yarn: rope_theta=" + theta);
    }
    if (!(partialRotaryFactor > 0 && partialRotaryFactor <= 1)) {
      throw new IllegalArgumentException(
          "partial_rotary_factor must be in (0, 1]: partial_rotary_factor=" + partialRotaryFactor);
    }
  }

  /** All of each head is turned. */
  public RopeConfig(double theta, RopeScaling scaling) {
    this(theta, scaling, 1);
  }

  /** Elements of a head that are turned. */
  public int rotaryDim(int headDim) {
    return (int) (headDim * partialRotaryFactor);
  }

  /** Refuses a scaling or part that does not come out in pairs of this head. */
  void requireFits(int headDim) {
    final int rotaryDim = rotaryDim(headDim);
    if (rotaryDim < 2 || rotaryDim % 2 != 0) {
      throw new IllegalArgumentException(
          "head_dim * partial_rotary_factor must be even and >= 2: head_dim="
              + headDim
              + ", partial_rotary_factor="
              + partialRotaryFactor);
    }
    if (scaling instanceof RopeScaling.LongRope longRope) {
      requirePairs("short_factor", longRope.shortFactors().size(), rotaryDim / 2);
      requirePairs("long_factor", longRope.longFactors().size(), rotaryDim / 2);
    }
  }

  private static void requirePairs(String name, int size, int pairs) {
    if (size != pairs) {
      throw new IllegalArgumentException(
          name
              + " must have a factor for each pair of elements that is turned: factors="
              + size
              + ", pairs="
              + pairs);
    }
  }

  /**
   * Radians per position of each pair, {@code theta^(-2j / rotaryDim)}, scaled; rounded to float
   * where transformers keeps floats.
   *
   * @param maxPositions the longest context that will be run: it decides between the factors of
   *     LongRoPE, for all requests alike, as in vLLM. transformers decides by each text, and turns
   *     keys that it keeps by other angles than those that come after.
   */
  public float[] inverseFrequencies(int headDim, int maxPositions) {
    final int rotaryDim = rotaryDim(headDim);
    final float[] frequencies = new float[rotaryDim / 2];
    for (int j = 0; j < frequencies.length; j++) {
      final float power = (float) Math.pow(theta, 2f * j / rotaryDim);
      frequencies[j] = scaled(power, j, rotaryDim, maxPositions);
    }
    return frequencies;
  }

  /** What sines and cosines are multiplied by; 1 unless the scaling has a factor of attention. */
  public float magnitude() {
    return switch (scaling) {
      case RopeScaling.Yarn yarn -> (float) yarn.attentionFactor();
      case RopeScaling.LongRope longRope -> (float) longRope.attentionFactor();
      case RopeScaling.None _, RopeScaling.Linear _, RopeScaling.Llama3 _ -> 1;
    };
  }

  /** The inverse of pair {@code j}'s {@code power} of theta, scaled. */
  private float scaled(float power, int j, int rotaryDim, int maxPositions) {
    final float frequency = 1f / power;
    return switch (scaling) {
      case RopeScaling.None none -> frequency;
      case RopeScaling.Linear linear -> (float) (frequency / linear.factor());
      case RopeScaling.Llama3 llama3 -> scaled(frequency, llama3);
      case RopeScaling.Yarn yarn -> {
        final float kept = 1 - stretched(yarn, j, rotaryDim);
        final float slow = 1f / ((float) yarn.factor() * power);
        yield slow * (1 - kept) + frequency * kept;
      }
      case RopeScaling.LongRope longRope ->
          1f / (longRope.factors(maxPositions).get(j).floatValue() * power);
    };
  }

  /** How much of pair {@code j} is stretched, from 0 to 1: a ramp over the pairs. */
  private float stretched(RopeScaling.Yarn yarn, int j, int rotaryDim) {
    double first = pairOfTurns(yarn.betaFast(), yarn, rotaryDim);
    double last = pairOfTurns(yarn.betaSlow(), yarn, rotaryDim);
    if (yarn.truncate()) {
      first = Math.floor(first);
      last = Math.ceil(last);
    }
    first = Math.max(first, 0);
    last = Math.min(last, rotaryDim - 1);
    if (first == last) {
      last += 0.001; // no division by zero
    }
    return Math.clamp((j - (float) first) / (float) (last - first), 0f, 1f);
  }

  /** The pair, a fraction, that makes so many turns within the context of the training. */
  private double pairOfTurns(double turns, RopeScaling.Yarn yarn, int rotaryDim) {
    return rotaryDim
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
