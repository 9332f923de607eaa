package dev.headway.scheduler.engine;

import dev.headway.api.engine.EngineState;
import dev.headway.api.executor.Executor;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.request.FinishReason;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.probes.ProbeDispatcher;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of an engine: all requests finish, then the probes and the executor are closed. Called by
 * the driving thread, except {@link #endWithoutDriver} and {@link #awaitDrained}.
 */
final class EngineEnd {

  private static final Logger LOG = LoggerFactory.getLogger(HeadwayEngine.class);

  private final EngineStatus status;
  private final DutyCycle dutyCycle;
  private final LiveRequests liveRequests;
  private final ProbeDispatcher probes;
  private final Executor executor;
  private final @Nullable KvConnector connector;
  private final NanoClock clock;
  private final Heartbeat heartbeat;
  private final HealthCheck healthCheck;
  private final StallWatch watch;
  private final CountDownLatch drained = new CountDownLatch(1);

  private volatile boolean endedWithoutDriver;

  /** Whether probes and executor are left to the driving thread, should it return. */
  private volatile boolean leftOpen;

  EngineEnd(
      EngineStatus status,
      DutyCycle dutyCycle,
      LiveRequests liveRequests,
      EngineBuilder.Parts parts,
      Heartbeat heartbeat,
      HealthCheck healthCheck,
      StallWatch watch) {
    this.status = status;
    this.dutyCycle = dutyCycle;
    this.liveRequests = liveRequests;
    this.heartbeat = heartbeat;
    this.healthCheck = healthCheck;
    this.watch = watch;
    probes = parts.probes();
    executor = parts.executor();
    connector = parts.connector();
    clock = parts.clock();
  }

  /** Ends a running engine. */
  void end(FinishReason reason, EngineState endState, @Nullable Throwable cause) {
    if (status.isEnded()) {
      return;
    }
    status.set(endState);
    watch.end();
    try {
      dutyCycle.endAll(reason, cause);
      probes.close();
      closeExecutor();
    } finally {
      drained.countDown();
    }
  }

  /** Ends the engine because something threw. */
  void fail(Throwable cause) {
    LOG.error("the engine failed; every request ends", cause);
    end(FinishReason.SHUTDOWN, EngineState.FAILED, cause);
  }

  /** Ends what can be ended while the driving thread does not return. */
  synchronized void endWithoutDriver() {
    if (status.isEnded()) {
      return;
    }
    final String holder = healthCheck.heldBy();
    final boolean isInExecutor = heartbeat.abandon();
    leftOpen = !isInExecutor;
    status.set(EngineState.CLOSED);
    watch.end();
    final IllegalStateException cause =
        new IllegalStateException("the engine was closed while its thread was held by " + holder);
    LOG.error("the engine ends without its thread, which does not return: heldBy={}", holder);
    if (isInExecutor) {
      dutyCycle.endAll(FinishReason.SHUTDOWN, cause);
      probes.close();
    } else {
      liveRequests.endWithoutScheduler(FinishReason.SHUTDOWN, cause, clock.nanoTime());
    }
    endedWithoutDriver = true;
    drained.countDown();
  }

  /** Whether the engine was ended without the driving thread, which may never let go. */
  boolean wasWithoutDriver() {
    return endedWithoutDriver;
  }

  /** The driving thread has returned to an engine that was ended without it. */
  void closeIfLeft() {
    if (leftOpen) {
      leftOpen = false;
      dutyCycle.endAll(FinishReason.SHUTDOWN, null);
      probes.close();
      closeExecutor();
    }
  }

  /** The driving thread has returned from an executor that was left to it. */
  void closeAbandonedExecutor() {
    LOG.warn("the executor has returned after the engine was closed; it is closed now");
    closeExecutor();
  }

  private void closeExecutor() {
    if (connector != null) { // first: a transfer may write to the executor's memory
      try {
        connector.close();
      } catch (Throwable t) {
        LOG.error("KV connector {} failed to close", connector.getClass().getName(), t);
      }
    }
    try {
      executor.close();
    } catch (Throwable t) {
      LOG.error("executor {} failed to close", executor.getClass().getName(), t);
    }
  }

  /** Nothing is left to drain. */
  void drained() {
    drained.countDown();
  }

  boolean isDrained() {
    return drained.getCount() == 0;
  }

  boolean awaitDrained(long timeoutNs) throws InterruptedException {
    return drained.await(timeoutNs, TimeUnit.NANOSECONDS);
  }
}
