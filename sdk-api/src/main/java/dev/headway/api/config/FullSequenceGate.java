package dev.headway.api.config;

/** What an admission must find free in the KV cache (vLLM: {@code scheduler_reserve_full_isl}). */
public enum FullSequenceGate {
  /** Blocks for all tokens known of the request, even if this step computes only a chunk. */
  WHOLE_SEQUENCE,
  /** Blocks for the tokens of this step. */
  NEXT_CHUNK
}
