package dev.headway.scheduler.engine;

import dev.headway.api.engine.EngineHealth;
import dev.headway.api.engine.EngineHealth.Status;
import dev.headway.api.engine.EngineState;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.engine.Heartbeat.Place;

/** Whether an engine progresses, and what holds it if it does not. Any thread. */
final class HealthCheck {

  private final EngineStatus status;
  private final Intake intake;
  private final EngineCounters counters;
  private final Heartbeat heartbeat;
  private final NanoClock clock;
  private final long stallThresholdNs;

  HealthCheck(
      EngineStatus status,
      Intake intake,
      EngineCounters counters,
      Heartbeat heartbeat,
      NanoClock clock,
      long stallThresholdNs) {
    this.status = status;
    this.intake = intake;
    this.counters = counters;
    this.heartbeat = heartbeat;
    this.clock = clock;
    this.stallThresholdNs = stallThresholdNs;
  }

  EngineHealth health() {
    final EngineState now = status.state();
    final long steps = counters.steps.get();
    if (now.compareTo(EngineState.CLOSED) >= 0) {
      return new EngineHealth(
          now == EngineState.FAILED ? Status.FAILED : Status.IDLE,
          now,
          steps,
          0,
          "nothing: the engine has ended");
    }
    final boolean hasWork = intake.hasLive();
    final Status well = hasWork ? Status.PROGRESSING : Status.IDLE;
    final Place place = heartbeat.place();
    if (clock.isVirtual()) {
      return new EngineHealth(well, now, steps, 0, place.text);
    }
    final long sinceNs = Math.max(0, clock.nanoTime() - heartbeat.progressNs());
    return sinceNs > stallThresholdNs && (hasWork || status.hasOwnThread())
        ? new EngineHealth(Status.STALLED, now, steps, sinceNs, heldBy())
        : new EngineHealth(well, now, steps, sinceNs, place.text);
  }

  /** What the driving thread is doing, and the first method outside the JDK that it is in. */
  String heldBy() {
    final String place = heartbeat.place().text;
    final Thread thread = status.driver();
    if (thread == null) {
      return "its caller, who does not call step()";
    }
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (!frame.getClassName().startsWith("java.") && !frame.getClassName().startsWith("jdk.")) {
        return place + ", at " + frame;
      }
    }
    return thread.isAlive() ? place : "nothing: the thread that drove the engine has ended";
  }
}
