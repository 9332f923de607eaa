package dev.headway.api.config;

/** Whether {@code longPrefillTokenThreshold} also applies to the only request in the engine. */
public enum LonePrefill {
  /** It always applies, as in vLLM 0.28. */
  CAPPED,
  /**
   * A request gets the whole budget if no other request waits or runs, as in later vLLM. Without
   * chunked prefill only where a step can compute {@code maxModelLen} tokens.
   */
  UNCAPPED
}
