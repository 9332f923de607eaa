package dev.headway.executor.reference;

import dev.headway.executor.model.BFloat16;

/** What is kept between the operations of a forward pass. Sums are floats in each. */
public enum Precision {
  /** Floats everywhere. */
  FLOAT32,
  /**
   * Weights, hidden states, keys and values rounded to bfloat16 wherever the CUDA kernels store
   * them: after each norm, matrix, rotary embedding, attention, SwiGLU and residual sum. Logits
   * stay floats.
   */
  BFLOAT16,
  /**
   * As {@link #BFLOAT16}, and matrices that are quantised are multiplied as their checkpoint says:
   * inputs rounded by its {@link dev.headway.executor.model.InputQuantization}, weights exact.
   * Another precision rounds no inputs.
   */
  QUANTIZED;

  float round(float value) {
    return this == FLOAT32 ? value : BFloat16.round(value);
  }

  /** Rounds elements [0, length) in place. */
  void round(float[] values, int length) {
    if (this != FLOAT32) {
      for (int i = 0; i < length; i++) {
        values[i] = BFloat16.round(values[i]);
      }
    }
  }
}
