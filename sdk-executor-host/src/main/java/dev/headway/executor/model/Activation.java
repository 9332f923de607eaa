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
  GELU_TANH("gelu_pytorch_tanh");

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

  /** The activation of a value, computed in double precision. */
  public float of(float x) {
    return switch (this) {
      case SILU -> (float) (x / (1 + Math.exp(-x)));
      case GELU_TANH -> (float) (x / (1 + Math.exp(-x * (GELU_LINEAR + GELU_CUBIC * x * x))));
    };
  }
}
