package dev.headway.api.config;

/** Whether computed KV blocks are kept for other requests with the same prefix. */
public enum PrefixCaching {
  /** Full blocks stay findable until their memory is needed. */
  ENABLED,
  /** Nothing is shared; freed blocks are forgotten. */
  DISABLED
}
