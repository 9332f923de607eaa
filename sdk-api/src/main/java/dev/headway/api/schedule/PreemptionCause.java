package dev.headway.api.schedule;

/** Why a request lost its KV blocks. */
public enum PreemptionCause {
  /** Another running request, or itself, needed KV blocks and none were free. */
  KV_BLOCKS("kv_blocks"),
  /** A more important waiting request took its seat or its KV blocks. */
  DISPLACED("displaced"),
  /** The prefix cache was reset with running requests included. */
  CACHE_RESET("cache_reset"),
  /** A session that did not run gave its seat and KV blocks to a request that lacked them. */
  SESSION("session"),
  /** What was loaded from outside for it, or for a request whose blocks it shares, is not there. */
  KV_LOAD_FAILED("kv_load_failed"),
  /** A request that was loaded and did not run gave its KV blocks to a request that lacked them. */
  KV_LOADED("kv_loaded");

  private final String label;

  PreemptionCause(String label) {
    this.label = label;
  }

  /** The word used in CSV files, journals and metrics. */
  public String label() {
    return label;
  }
}
