package dev.headway.api.request;

/** What the KV events of a request tell. */
public enum KvReport {
  /** Blocks that became findable through it. */
  INCREMENTAL,
  /** Those, and at each lookup the blocks it found: for routers that missed them. */
  FULL
}
