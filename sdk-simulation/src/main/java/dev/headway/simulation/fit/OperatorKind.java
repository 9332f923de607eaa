package dev.headway.simulation.fit;

/** Operators that reach the same share of the device's peaks. */
public enum OperatorKind {
  /** Multiplications with weights that arithmetic bounds, or all where layers were measured. */
  MAT_MULS("mat_muls", 1.4, 0.2),
  /**
   * What memory bounds: multiplications with weights for few tokens; norms, activations, cache
   * writes, sampling.
   */
  MEMORY("memory", 1.25, 0.12),
  /** Attention of prefills. */
  PREFILL_ATTENTION("prefill_attention", 1.6, 0.4),
  /** Attention of decodes. */
  DECODE_ATTENTION("decode_attention", 1.35, 0.3),
  /** Routed experts. */
  EXPERTS("experts", 1.5, 0.3),
  /** All-reduces. */
  ALL_REDUCE("all_reduce", 1.5, 0.5),
  /** What tokens beyond full tiles take more than others, in multiplications with weights. */
  BEYOND_TILES("beyond_tiles", 0, 0);

  private final String label;
  private final double prior;
  private final double deviation;

  OperatorKind(String label, double prior, double deviation) {
    this.label = label;
    this.prior = prior;
    this.deviation = deviation;
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

  /** How far servers are from the prior: the standard deviation of the logarithm. */
  double deviation() {
    return deviation;
  }
}
