package dev.headway.api.config;

/** In what order requests are admitted, and which running request gives way when blocks run out. */
public enum QueuePolicy {
  /** Order of arrival; the request admitted last gives way. */
  FCFS,
  /**
   * Smallest {@code priority} first, then arrival, then id; the least important running request
   * gives way.
   */
  PRIORITY
}
