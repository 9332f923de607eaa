package dev.headway.spring.boot;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineHealth;
import dev.headway.api.engine.EngineState;
import dev.headway.api.engine.EngineStats;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an engine's health is to Boot, whose classes for it have other names in 3 and 4. Immutable.
 *
 * @param status a status of Boot's, by its code
 * @param details what is shown of it
 */
record HealthFacts(String status, Map<String, Object> details) {

  /** Asks the engine; never blocks. Any thread. */
  static HealthFacts of(Engine engine) {
    final EngineHealth health = engine.health();
    final EngineStats stats = engine.stats();
    final Map<String, Object> details = new LinkedHashMap<>();
    details.put("status", health.status().name());
    details.put("state", health.state().name());
    details.put("steps", health.steps());
    details.put("running", stats.running());
    details.put("waiting", stats.waiting());
    details.put("sinceProgress", Duration.ofNanos(health.sinceProgressNs()).toString());
    if (!health.isWell()) {
      details.put("heldBy", health.heldBy());
    }
    return new HealthFacts(code(health), details);
  }

  private static String code(EngineHealth health) {
    if (!health.isWell() || health.state() == EngineState.CLOSED) {
      return "DOWN";
    }
    return health.state() == EngineState.DRAINING ? "OUT_OF_SERVICE" : "UP";
  }
}
