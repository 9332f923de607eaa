package dev.headway.executor.model;

import java.util.List;

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
      requireOriginal(originalMaxPositions);
    }
  }

  /**
   * YaRN (Peng et al. 2023): pairs that turn often within the training's context are kept, those
   * that turn seldom are stretched by {@code factor}, those between are blended; sines and cosines
   * are multiplied by {@code attentionFactor}.
   *
   * @param factor >= 1
   * @param attentionFactor > 0
   * @param betaFast turns within the training's context from which a pair is kept, >= betaSlow
   * @param betaSlow turns up to which a pair is stretched by the whole factor, > 0
   * @param truncate whether the first and last pair of those between are rounded outwards
   * @param originalMaxPositions context of the training, in tokens, >= 1
   */
  record Yarn(
      double factor,
      double attentionFactor,
      double betaFast,
      double betaSlow,
      boolean truncate,
      int originalMaxPositions)
      implements RopeScaling {
    /** Validates the components. */
    public Yarn {
      requireFactor(factor);
      requireAttentionFactor(attentionFactor);
      requireOriginal(originalMaxPositions);
      if (!(betaSlow > 0 && betaFast >= betaSlow) || Double.isInfinite(betaFast)) {
        throw new IllegalArgumentException(
            "beta_fast must be >= beta_slow > 0 and finite: beta_fast="
                + betaFast
                + ", beta_slow="
                + betaSlow);
      }
    }
  }

  /**
   * LongRoPE (Ding et al. 2024): a factor for each pair, of two lists. Sines and cosines are
   * multiplied by {@code attentionFactor} with either.
   *
   * @param shortFactors of each pair, > 0; taken where the longest context is within that of the
   *     training
   * @param longFactors of each pair, > 0; taken where it is longer
   * @param attentionFactor > 0
   * @param originalMaxPositions context of the training, in tokens, >= 1
   */
  record LongRope(
      List<Double> shortFactors,
      List<Double> longFactors,
      double attentionFactor,
      int originalMaxPositions)
      implements RopeScaling {
    /** Validates the components. */
    public LongRope {
      shortFactors = List.copyOf(shortFactors);
      longFactors = List.copyOf(longFactors);
      requireFactors("short_factor", shortFactors);
      requireFactors("long_factor", longFactors);
      requireAttentionFactor(attentionFactor);
      requireOriginal(originalMaxPositions);
    }

    /** What transformers multiplies sines and cosines by unless config.json says otherwise. */
    static double usualAttentionFactor(double factor, int originalMaxPositions) {
      return factor <= 1 ? 1 : Math.sqrt(1 + Math.log(factor) / Math.log(originalMaxPositions));
    }

    /** The factors for a model whose longest context is so long. */
    List<Double> factors(int maxPositions) {
      return maxPositions > originalMaxPositions ? longFactors : shortFactors;
    }
  }

  private static void requireFactors(String name, List<Double> factors) {
    for (double factor : factors) {
      if (!(factor > 0) || Double.isInfinite(factor)) {
        throw new IllegalArgumentException(
            name + " must be > 0 and finite in each place: " + name + "=" + factors);
      }
    }
  }

  private static void requireOriginal(int originalMaxPositions) {
    if (originalMaxPositions < 1) {
      throw new IllegalArgumentException(
          "original_max_position_embeddings must be >= 1: original_max_position_embeddings="
              + originalMaxPositions);
    }
  }

  private static void requireAttentionFactor(double attentionFactor) {
    if (!(attentionFactor > 0) || Double.isInfinite(attentionFactor)) {
      throw new IllegalArgumentException(
          "attention_factor must be > 0 and finite: attention_factor=" + attentionFactor);
    }
  }

  private static void requireFactor(double factor) {
    if (!(factor >= 1) || Double.isInfinite(factor)) {
      throw new IllegalArgumentException("factor must be >= 1 and finite: factor=" + factor);
    }
  }
}
