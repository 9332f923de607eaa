package dev.headway.api.config;

/** Whether {@code longPrefillTokenThreshold} also holds for a request that has the engine alone. */
public enum LonePrefill {
  /** It always holds, as in vLLM 0.28. */
  CAPPED,
  /** A request that nobody else waits or runs beside gets the whole budget, as in later vLLM. */
  UNCAPPED
}
