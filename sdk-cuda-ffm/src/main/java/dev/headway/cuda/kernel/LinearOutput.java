package dev.headway.cuda.kernel;

/** What a product is stored as. */
public enum LinearOutput {
  /** Activations. */
  BF16,
  /** Logits. */
  FP32
}
