package dev.headway.routing.kvevents.codec;

/** How batches and events are laid out in MessagePack. */
public enum KvEventDialect {

  /** Batch and events are arrays, every field present: vLLM up to the middle of 2026, SGLang. */
  ARRAY("array"),

  /** The batch is an array, events are maps without the fields at their default: newer vLLM. */
  MAP("map"),

  /** Batch and events are maps: seen of vLLM, to be read rather than written. */
  ALL_MAPS("all-maps"),

  /** Arrays that end after the adapter's number, without a rank: SGLang in 2025. */
  SHORT_ARRAY("short-array");

  private final String label;

  KvEventDialect(String label) {
    this.label = label;
  }

  /** Its name in options. */
  public String label() {
    return label;
  }
}
