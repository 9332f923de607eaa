package dev.headway.executor.model;

/** Where the matrix that makes logits comes from. */
public enum OutputHead {
  /** It is the embedding ({@code tie_word_embeddings}). */
  TIED,
  /** A separate tensor, {@code lm_head.weight}. */
  OWN
}
