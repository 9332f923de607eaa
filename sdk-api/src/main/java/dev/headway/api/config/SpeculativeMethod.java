package dev.headway.api.config;

/** Who proposes draft tokens. The scheduler only needs to know what that costs. */
public enum SpeculativeMethod {
  /** Nobody: one token per step. */
  NONE,
  /** Earlier occurrences in the same text; needs no KV. */
  NGRAM,
  /** A head on the model's own hidden states, with KV of its own. */
  EAGLE,
  /** A small model, which runs once more per step than it proposes. */
  DRAFT_MODEL,
  /** Several multi-token-prediction modules in a row. */
  MTP_MULTI,
  /** A block-diffusion drafter. */
  DFLASH
}
