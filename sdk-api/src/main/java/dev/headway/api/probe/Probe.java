package dev.headway.api.probe;

import dev.headway.api.kvcache.KvCacheListener;
import java.util.EnumSet;
import java.util.Set;

/**
 * Observes scheduling: a method per event, which does nothing unless overridden.
 *
 * <p>Methods run on the engine thread, inside the step: they must not block, and must not keep an
 * event, a request or a plan after they return. {@link #interests} and {@link #onRunStarted} are
 * called by the thread that builds the engine, {@link #onIdle} and {@link #close} between steps. A
 * probe that throws anything is detached, counted in {@code EngineStats.probesDetached} and logged
 * once; the step is unharmed.
 *
 * <p>To be notified of facts instead of decisions (how long each request waited, and for what), see
 * {@code RunProbe} in {@code headway-events}.
 */
public interface Probe extends KvCacheListener, AutoCloseable {

  /**
   * Kinds of events this probe needs; read once, when the engine is built. All but scores by
   * default.
   */
  default Set<ProbeInterest> interests() {
    return EnumSet.complementOf(EnumSet.of(ProbeInterest.SCORES));
  }

  /** The run begins. Always called, first. */
  default void onRunStarted(RunInfo run) {}

  /** A request entered the waiting queue. */
  default void onQueued(QueuedEvent event) {}

  /** A request was refused at submission. */
  default void onRejected(RejectedEvent event) {}

  /** A request was admitted. */
  default void onAdmitted(AdmittedEvent event) {}

  /** A request was examined and got nothing, for a new reason. */
  default void onBlocked(BlockedEvent event) {}

  /** The individual wait reason of a request was cleared. */
  default void onUnblocked(UnblockedEvent event) {}

  /** The reason shared by the waiting requests that were not examined has changed. */
  default void onAdmissionsClosed(AdmissionsClosedEvent event) {}

  /** A running request was preempted, back into the waiting queue. */
  default void onPreempted(PreemptedEvent event) {}

  /** A prefix-cache reset begins. */
  default void onCacheReset(CacheResetEvent event) {}

  /** The limits of the engine were changed. */
  default void onLimitsChanged(LimitsChangedEvent event) {}

  /** A policy has ranked a waiting request. */
  default void onScored(ScoredEvent event) {}

  /**
   * The server around the engine reported a stage of a request's journey. Delivered when the engine
   * thread receives it, before or after the request's own events.
   */
  default void onJourney(JourneyEvent event) {}

  /** A step was planned. */
  default void onPlanned(PlannedEvent event) {}

  /** The first token of a request was generated. */
  default void onFirstToken(FirstTokenEvent event) {}

  /** A request ended. */
  default void onFinished(FinishedEvent event) {}

  /** A step is done. */
  default void onStepCompleted(StepCompletedEvent event) {}

  /** Nothing happened for a while, or the engine is idle: a good moment to flush. */
  default void onIdle(long nowNs) {}

  /** The run ends. Called once, also after the probe was detached. */
  @Override
  default void close() {}
}
