package dev.headway.api.engine;

/** Is told when an engine stalls, and when it gets on again. */
@FunctionalInterface
public interface HealthListener {

  /**
   * The engine began to stall, or no longer does. On a thread of its own, never the engine's; what
   * it throws is logged.
   */
  void onHealth(EngineHealth health);
}
