package dev.headway.api.config;

/** Source of the draft tokens. The scheduler only depends on its cost in slots and KV. */
public enum SpeculativeMethod {
  /** No drafts: one token per step. */
  NONE,
  /** Earlier occurrences in the same text; needs no KV. */
  NGRAM,
  /** A head on the model's hidden states, with separate KV. */
  EAGLE,
  /** A small model, which runs once more per step than it proposes. */
  DRAFT_MODEL,
  /** Several multi-token-prediction modules in a row. */
  MTP_MULTI,
  /** A block-diffusion drafter. */
  DFLASH
}
