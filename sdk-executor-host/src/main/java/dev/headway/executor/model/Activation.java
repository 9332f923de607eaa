package dev.headway.executor.model;

/** What a feed-forward's gate goes through before it is multiplied. */
public enum Activation {
  /** {@code x / (1 + exp(-x))}: with the product SwiGLU (Shazeer 2020). */
  SILU("silu"),
  /**
   * {@code x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))}, with the product GeGLU (Shazeer
   * 2020). Since {@code (1 + tanh(u)) / 2 = 1 / (1 + exp(-2u))} it is computed as {@code x / (1 +
   * exp(-2u))}.
   *
   * <p>Source: {@code PytorchGELUTanh} of {@code activations.py} in transformers.
   */
  GELU_TANH("gelu_pytorch_tanh"),
  /**
   * {@code x / (1 + exp(-1.702 x))} of a gate that is at most 7; it is multiplied by {@code up + 1}
   * of an input in [-7, 7].
   *
   * <p>Source: {@code GptOssExperts} of {@code modeling_gpt_oss.py} in transformers, whose
   * config.json says {@code silu}.
   */
  CLAMPED_SILU("silu");

  /** What a gate and its input are clamped to with {@link #CLAMPED_SILU}. */
  public static final float LIMIT = 7;

  /** Of x in the exponent, with {@link #CLAMPED_SILU}. */
  public static final float ALPHA = 1.702f;

  /** Of x in twice the tangent's argument. */
  public static final double GELU_LINEAR = 2 * Math.sqrt(2 / Math.PI);

  /** Of x^3 in twice the tangent's argument. */
  public static final double GELU_CUBIC = 0.044715 * GELU_LINEAR;

  private final String label;

  Activation(String label) {
    this.label = label;
  }

  /** The word in config.json. */
  public String label() {
    return label;
  }

  /** The activation of a gate, computed in double precision, times its input. */
  public float product(float gate, float up) {
    return switch (this) {
      case SILU -> (float) (gate / (1 + Math.exp(-gate))) * up;
      case GELU_TANH ->
          (float) (gate / (1 + Math.exp(-gate * (GELU_LINEAR + GELU_CUBIC * gate * gate)))) * up;
      case CLAMPED_SILU -> {
        final float clamped = Math.min(gate, LIMIT);
        yield (float) (clamped / (1 + Math.exp(-ALPHA * clamped)))
            * (Math.clamp(up, -LIMIT, LIMIT) + 1);
      }
    };
  }
}
