package dev.headway.api.config;

/** What becomes of requests whose KV could not be loaded from outside. */
public enum KvLoadFailurePolicy {
  /** They compute it themselves. */
  RECOMPUTE,
  /** They end with {@code FinishReason.KV_LOAD_FAILED}. */
  FAIL
}
