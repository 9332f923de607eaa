package dev.headway.scheduler.engine;

import dev.headway.api.kvcache.KvBlockRemoved;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheCleared;
import dev.headway.api.probe.AdmissionsClosedEvent;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.CacheResetEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.FirstTokenEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.RejectedEvent;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.probe.UnblockedEvent;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A probe that counts what it hears and hands the kind of each event to a hook, which may throw.
 */
class EventProbe implements Probe {

  /** The kinds, one for each method. */
  enum Event {
    RUN_STARTED,
    QUEUED,
    REJECTED,
    ADMITTED,
    BLOCKED,
    UNBLOCKED,
    ADMISSIONS_CLOSED,
    PREEMPTED,
    CACHE_RESET,
    PLANNED,
    FIRST_TOKEN,
    FINISHED,
    STEP_COMPLETED,
    IDLE,
    KV_STORED,
    KV_REMOVED,
    KV_CLEARED,
    CLOSE
  }

  final Map<Event, Integer> heard = new EnumMap<>(Event.class);
  private final Consumer<Event> hook;

  EventProbe() {
    this(event -> {});
  }

  EventProbe(Consumer<Event> hook) {
    this.hook = hook;
  }

  private void hear(Event event) {
    heard.merge(event, 1, Integer::sum);
    hook.accept(event);
  }

  @Override
  public void onRunStarted(RunInfo run) {
    hear(Event.RUN_STARTED);
  }

  @Override
  public void onQueued(QueuedEvent event) {
    hear(Event.QUEUED);
  }

  @Override
  public void onRejected(RejectedEvent event) {
    hear(Event.REJECTED);
  }

  @Override
  public void onAdmitted(AdmittedEvent event) {
    hear(Event.ADMITTED);
  }

  @Override
  public void onBlocked(BlockedEvent event) {
    hear(Event.BLOCKED);
  }

  @Override
  public void onUnblocked(UnblockedEvent event) {
    hear(Event.UNBLOCKED);
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedEvent event) {
    hear(Event.ADMISSIONS_CLOSED);
  }

  @Override
  public void onPreempted(PreemptedEvent event) {
    hear(Event.PREEMPTED);
  }

  @Override
  public void onCacheReset(CacheResetEvent event) {
    hear(Event.CACHE_RESET);
  }

  @Override
  public void onPlanned(PlannedEvent event) {
    hear(Event.PLANNED);
  }

  @Override
  public void onFirstToken(FirstTokenEvent event) {
    hear(Event.FIRST_TOKEN);
  }

  @Override
  public void onFinished(FinishedEvent event) {
    hear(Event.FINISHED);
  }

  @Override
  public void onStepCompleted(StepCompletedEvent event) {
    hear(Event.STEP_COMPLETED);
  }

  @Override
  public void onIdle(long nowNs) {
    hear(Event.IDLE);
  }

  @Override
  public void onKvStored(KvBlocksStored blocks) {
    hear(Event.KV_STORED);
  }

  @Override
  public void onKvRemoved(KvBlockRemoved event) {
    hear(Event.KV_REMOVED);
  }

  @Override
  public void onKvCleared(KvCacheCleared event) {
    hear(Event.KV_CLEARED);
  }

  @Override
  public void close() {
    hear(Event.CLOSE);
  }
}
