package dev.headway.api.kvcache;

/**
 * Something that a {@link KvCacheListener} is notified of. Events are reused views: valid during
 * the call, on the engine thread, and reading them allocates nothing. A figure that is added later
 * is a new method with a default, so that listeners and readers written before keep working.
 */
public interface KvCacheEvent {

  /**
   * The step that the event belongs to: of a transfer the one that committed it, of anything else
   * the step being planned or, between steps, the one planned last; 0 before the first.
   */
  long stepId();
}
