package dev.headway.simulation.fit;

/** Operators that reach the same share of the device's peaks. */
public enum OperatorKind {
  /** Multiplications with weights that arithmetic bounds, and all that were measured. */
  MAT_MULS("mat_muls", 1.4),
  /**
   * What memory bounds: multiplications with weights for few tokens; norms, activations, cache
   * writes, sampling.
   */
  MEMORY("memory", 1.25),
  /** Attention of prefills. */
  PREFILL_ATTENTION("prefill_attention", 1.6),
  /** Attention of decodes. */
  DECODE_ATTENTION("decode_attention", 1.35),
  /** Routed experts. */
  EXPERTS("experts", 1.5),
  /** All-reduces. */
  ALL_REDUCE("all_reduce", 1.5),
  /** What tokens beyond full tiles take more than others, in multiplications with weights. */
  BEYOND_TILES("beyond_tiles", 0);

  private final String label;
  private final double prior;

  OperatorKind(String label, double prior) {
    this.label = label;
    this.prior = prior;
  }

  /** The word for it in files. */
  public String label() {
    return label;
  }

  /** The least that it can take of the peak's time. */
  double lowest() {
    return this == BEYOND_TILES ? 0 : 1;
  }

  /** Times the peak's time that kernels of current libraries take. */
  double prior() {
    return prior;
  }
}
