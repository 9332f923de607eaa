package dev.headway.api.config;

/**
 * In what order requests are admitted, and which running request is preempted when blocks run out.
 */
public enum QueuePolicy {
  /** Order of arrival; the request admitted last is preempted. */
  FCFS,
  /**
   * Smallest {@code priority} first, then arrival, then id; the least important running request is
   * preempted.
   */
  PRIORITY
}
