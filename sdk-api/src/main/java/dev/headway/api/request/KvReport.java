package dev.headway.api.request;

/** Which KV events are reported for a request. */
public enum KvReport {
  /** The blocks it added to the prefix cache. */
  INCREMENTAL,
  /**
   * Those, and at each lookup the blocks that were hit: for routers that missed the earlier events.
   */
  FULL
}
