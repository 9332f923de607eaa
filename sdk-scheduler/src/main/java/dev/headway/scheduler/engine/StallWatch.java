package dev.headway.scheduler.engine;

import dev.headway.api.engine.EngineHealth;
import dev.headway.api.engine.EngineHealth.Status;
import dev.headway.api.engine.HealthListener;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at an engine's health four times per threshold, on a daemon thread of its own, and says
 * when it begins to stall and when it gets on again: to the log, to Flight Recorder and to a
 * listener.
 */
final class StallWatch {

  private static final Logger LOG = LoggerFactory.getLogger(StallWatch.class);
  private static final long LONGEST_PERIOD_NS = TimeUnit.SECONDS.toNanos(10);

  private final Supplier<EngineHealth> health;
  private final HealthListener listener;
  private final long periodNs;
  private final Thread thread;
  private volatile boolean ended;

  StallWatch(Supplier<EngineHealth> health, HealthListener listener, long thresholdNs) {
    this.health = health;
    this.listener = listener;
    periodNs = Math.max(1, Math.min(thresholdNs / 4, LONGEST_PERIOD_NS));
    thread = new Thread(this::run, "headway-watch");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  void end() {
    ended = true;
    LockSupport.unpark(thread);
  }

  private void run() {
    boolean stalled = false;
    while (!ended) {
      final EngineHealth now = health.get();
      final boolean isStalled = now.status() == Status.STALLED;
      if (isStalled != stalled) {
        stalled = isStalled;
        tell(now);
      }
      LockSupport.parkNanos(this, periodNs);
    }
  }

  private void tell(EngineHealth now) {
    if (now.status() == Status.STALLED) {
      LOG.error(
          "the engine has made no progress for {} s: steps={}, state={}, heldBy={}",
          String.format(Locale.ROOT, "%.1f", now.sinceProgressNs() / 1e9),
          now.steps(),
          now.state(),
          now.heldBy());
    } else {
      LOG.warn("the engine gets on again: status={}, steps={}", now.status(), now.steps());
    }
    final EngineHealthEvent event = new EngineHealthEvent();
    if (event.isEnabled()) {
      event.commit(now);
    }
    try {
      listener.onHealth(now);
    } catch (Throwable t) {
      LOG.error("the health listener {} threw", listener.getClass().getName(), t);
    }
  }
}
