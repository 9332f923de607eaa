package dev.headway.scheduler.engine;

/**
 * What the engine does when the executor fails a step. The requests of that step fail either way.
 */
public enum ExecutorFailurePolicy {
  /**
   * Continues with the other requests; after an {@link
   * dev.headway.api.executor.ExecutorLostException} it stops all the same.
   */
  CONTINUE,
  /** Ends every request and stops. */
  STOP
}
