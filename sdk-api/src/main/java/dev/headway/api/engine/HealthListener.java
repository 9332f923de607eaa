package dev.headway.api.engine;

/** Notified when an engine stalls, and when it makes progress again. */
@FunctionalInterface
public interface HealthListener {

  /**
   * The engine began to stall, or no longer does. On a thread of its own, never the engine's; what
   * it throws is logged.
   */
  void onHealth(EngineHealth health);
}
