package dev.headway.scheduler.engine;

import dev.headway.api.engine.EngineHealth;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** An engine began to stall, or no longer does. */
@Name("dev.headway.EngineHealth")
@Label("Engine Health")
@Category("Headway")
@Description("An engine began to stall, or no longer does")
@StackTrace(false)
final class EngineHealthEvent extends Event {

  @Label("Status")
  String status = "";

  @Label("Steps")
  long steps;

  @Label("Since progress, ms")
  long sinceProgressMs;

  @Label("Held by")
  String heldBy = "";

  void commit(EngineHealth health) {
    status = health.status().name();
    steps = health.steps();
    sinceProgressMs = TimeUnit.NANOSECONDS.toMillis(health.sinceProgressNs());
    heldBy = health.heldBy();
    commit();
  }
}
