package dev.headway.spring.boot;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineState;
import dev.headway.api.engine.EngineStats;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * Starts an engine with the application and drains it at its end: before the web server begins, and
 * after it has ended. The engine's thread is one of the platform, whatever Boot's other threads
 * are: it computes, and would keep the carrier of a virtual one to itself. Spring's threads.
 */
final class EngineLifecycle implements SmartLifecycle, DisposableBean {

  /** Below Boot's web servers: those begin later and end earlier. */
  static final int PHASE = DEFAULT_PHASE - 4_096;

  private static final Logger LOG = LoggerFactory.getLogger(EngineLifecycle.class);

  private final Engine engine;
  private final boolean autoStart;
  private final Duration drainTimeout;

  EngineLifecycle(Engine engine, HeadwayProperties properties) {
    this.engine = engine;
    this.autoStart = properties.autoStart();
    this.drainTimeout = properties.drainTimeout();
  }

  /**
   * Starts the engine, unless its owner has.
   *
   * @throws IllegalStateException if it has been drained: an engine is started once
   */
  @Override
  public void start() {
    final EngineState state = engine.state();
    if (state.compareTo(EngineState.DRAINING) >= 0) {
      throw new IllegalStateException(
          "an engine is started once, and its context with it; make a new context: state=" + state);
    }
    if (state == EngineState.NEW && autoStart) {
      engine.start(Thread.ofPlatform().name("headway").factory());
    }
  }

  /** Finishes the requests under way, for as long as the property says. */
  @Override
  public void stop() {
    try {
      if (!engine.drain(drainTimeout)) {
        final EngineStats stats = engine.stats();
        LOG.warn(
            "requests did not end within headway.drain-timeout and are ended:"
                + " headway.drain-timeout={}, running={}, waiting={}",
            drainTimeout,
            stats.running(),
            stats.waiting());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      LOG.warn("interrupted while requests were ending; those alive are ended");
    }
  }

  @Override
  public boolean isRunning() {
    return engine.state() == EngineState.RUNNING;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }

  /**
   * Whether contexts of tests may be stopped while others run, as of Spring 7: an engine that was
   * drained does not start again.
   */
  public boolean isPauseable() {
    return false;
  }

  /** Closes the engine within a bound, whatever its executor does. */
  @Override
  public void destroy() throws InterruptedException {
    if (!engine.close(drainTimeout)) {
      LOG.warn(
          "the engine did not end in order within headway.drain-timeout:"
              + " headway.drain-timeout={}",
          drainTimeout);
    }
  }
}
