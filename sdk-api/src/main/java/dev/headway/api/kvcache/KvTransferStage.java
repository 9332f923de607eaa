package dev.headway.api.kvcache;

import java.util.Locale;

/**
 * Stages of a KV block transfer between tiers. Every transfer goes {@code LOAD_COMMITTED} or {@code
 * STORE_COMMITTED}, {@code INITIATED}, {@code COMPLETED}; a transfer that was refused has no event,
 * one that could not be submitted ends with its commitment.
 */
public enum KvTransferStage {
  /** Blocks of a slower tier will be brought back for a request. */
  LOAD_COMMITTED,
  /** Blocks will be copied to a slower tier. */
  STORE_COMMITTED,
  /** Blocks of a slower tier were evicted; precedes the commitment that needed their space. */
  EVICTED,
  /** The copy was handed to the device. */
  INITIATED,
  /** The copy is over; exactly one for every {@code INITIATED}. */
  COMPLETED;

  /** The word used in journals and files. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
