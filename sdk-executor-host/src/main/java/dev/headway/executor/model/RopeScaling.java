package dev.headway.executor.model;

/**
 * How the frequencies of the rotary embedding are stretched beyond the context of the training, as
 * in {@code modeling_rope_utils.py} of transformers.
 */
public sealed interface RopeScaling {

  /** Frequencies as they are. */
  record None() implements RopeScaling {}

  /**
   * All frequencies divided by {@code factor}.
   *
   * @param factor >= 1
   */
  record Linear(double factor) implements RopeScaling {
    /** Validates the component. */
    public Linear {
      requireFactor(factor);
    }
  }

  /**
   * Llama 3.1: long wavelengths divided by {@code factor}, short ones kept, those between blended.
   *
   * @param factor >= 1
   * @param lowFreqFactor wavelengths above {@code originalMaxPositions / lowFreqFactor} are long
   * @param highFreqFactor wavelengths below {@code originalMaxPositions / highFreqFactor} are
   *     short; > lowFreqFactor
   * @param originalMaxPositions context of the training, in tokens, >= 1
   */
  record Llama3(
      double factor, double lowFreqFactor, double highFreqFactor, int originalMaxPositions)
      implements RopeScaling {
    /** Validates the components. */
    public Llama3 {
      requireFactor(factor);
      if (!(lowFreqFactor > 0 && highFreqFactor > lowFreqFactor)) {
        throw new IllegalArgumentException(
            "high_freq_factor must be > low_freq_factor > 0: low_freq_factor="
                + lowFreqFactor
                + ", high_freq_factor="
                + highFreqFactor);
      }
      if (originalMaxPositions < 1) {
        throw new IllegalArgumentException(
            "original_max_position_embeddings must be >= 1: original_max_position_embeddings="
                + originalMaxPositions);
      }
    }
  }

  private static void requireFactor(double factor) {
    if (!(factor >= 1) || Double.isInfinite(factor)) {
      throw new IllegalArgumentException("factor must be >= 1 and finite: factor=" + factor);
    }
  }
}
