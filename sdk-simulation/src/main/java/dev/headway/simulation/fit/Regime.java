package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;

/** What a step computes. */
public enum Regime {
  /** Decodes only. */
  DECODE("decode"),
  /** Prefills only. */
  PREFILL("prefill"),
  /** Both. */
  MIXED("mixed");

  private final String label;

  Regime(String label) {
    this.label = label;
  }

  /** The word for it. */
  public String label() {
    return label;
  }

  /** What {@code step} computes. */
  public static Regime of(StepFeatures step) {
    if (step.prefillRequests() == 0) {
      return DECODE;
    }
    return step.decodeRequests() == 0 ? PREFILL : MIXED;
  }
}
