package dev.headway.simulation.fit;

/** What a step's time is the sum of, each with a coefficient that is fitted. */
public enum Term {
  /** Multiplications with weights, at the device's peaks. */
  MAT_MULS("mat_muls", true, 1.35),
  /** Attention of prefills, at the device's peaks. */
  PREFILL_ATTENTION("prefill_attention", true, 1.6),
  /** Attention of decodes, at the device's peaks. */
  DECODE_ATTENTION("decode_attention", true, 1.35),
  /** Routed experts, at the device's peaks. */
  EXPERTS("experts", true, 1.5),
  /** Norms, activations and cache writes, at the bandwidth of the memory. */
  ELEMENTWISE("elementwise", true, 1.25),
  /** All-reduces, at the bandwidth of the links. */
  ALL_REDUCE("all_reduce", true, 1.5),
  /** Each step: starting kernels, the host's part. In nanoseconds. */
  STEP("step", false, 1_500_000),
  /** Each request of a step: the host's part. In nanoseconds. */
  REQUEST("request", false, 20_000);

  private final String label;
  private final boolean physical;
  private final double prior;

  Term(String label, boolean physical, double prior) {
    this.label = label;
    this.physical = physical;
    this.prior = prior;
  }

  /** The word for it in files. */
  public String label() {
    return label;
  }

  /**
   * Whether the term is the time at the device's peaks, so that its coefficient, one over the share
   * of the peak that is reached, cannot be below 1.
   */
  public boolean isPhysical() {
    return physical;
  }

  double lowerBound() {
    return physical ? 1 : 0;
  }

  /** What it is without any measurement. */
  double prior() {
    return prior;
  }
}
