package dev.headway.api.request;

/** Whether a request may start from KV blocks that other requests have computed. */
public enum PrefixReuse {
  /** Look up the prompt in the prefix cache and share the blocks found. */
  ALLOWED,
  /** Compute the whole prompt; its blocks can still be reused by other requests. */
  SKIPPED
}
