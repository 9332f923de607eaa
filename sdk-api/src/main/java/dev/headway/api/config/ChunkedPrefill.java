package dev.headway.api.config;

/** Whether a prompt may be computed over several steps. */
public enum ChunkedPrefill {
  /** A prompt takes what is left of the token budget and continues in the next step. */
  ENABLED,
  /** A prompt is admitted only when it fits into what is left of the token budget. */
  DISABLED
}
