package dev.headway.api.request;

/** Whether a request may start from KV blocks that other requests have computed. */
public enum PrefixReuse {
  /** Look the prompt up and share what is there. */
  ALLOWED,
  /** Compute everything afresh; what is computed can still be reused by others. */
  SKIPPED
}
