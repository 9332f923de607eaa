package dev.headway.api.request;

/** What a {@link Hold} waits for. */
public enum HoldReason {
  /** A grammar is being compiled. */
  GRAMMAR,
  /** A LoRA adapter is being loaded. */
  ADAPTER_LOADING,
  /** Anything else. */
  EXTERNAL
}
