package dev.headway.scheduler.engine;

import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.Rejection;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.probe.StepResult;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
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
  public void onQueued(RequestView request) {
    hear(Event.QUEUED);
  }

  @Override
  public void onRejected(Rejection rejection) {
    hear(Event.REJECTED);
  }

  @Override
  public void onAdmitted(
      long stepId, RequestView request, EntryKind kind, int cachedTokens, int lostTokens) {
    hear(Event.ADMITTED);
  }

  @Override
  public void onBlocked(
      long stepId,
      RequestView request,
      WaitReason reason,
      RequestView blocker,
      int needed,
      int free) {
    hear(Event.BLOCKED);
  }

  @Override
  public void onUnblocked(long stepId, RequestView request) {
    hear(Event.UNBLOCKED);
  }

  @Override
  public void onAdmissionsClosed(long stepId, WaitReason reason, RequestView blocker) {
    hear(Event.ADMISSIONS_CLOSED);
  }

  @Override
  public void onPreempted(
      long stepId,
      RequestView victim,
      PreemptionCause cause,
      RequestView beneficiary,
      int lostTokens,
      int freedBlocks) {
    hear(Event.PREEMPTED);
  }

  @Override
  public void onCacheReset(ResetScope scope, long nowNs) {
    hear(Event.CACHE_RESET);
  }

  @Override
  public void onPlanned(StepPlan plan) {
    hear(Event.PLANNED);
  }

  @Override
  public void onFirstToken(long stepId, RequestView request, long nowNs) {
    hear(Event.FIRST_TOKEN);
  }

  @Override
  public void onFinished(
      long stepId,
      RequestView request,
      FinishReason reason,
      int stopTokenId,
      Throwable cause,
      int freedBlocks,
      long nowNs) {
    hear(Event.FINISHED);
  }

  @Override
  public void onStepCompleted(StepResult result) {
    hear(Event.STEP_COMPLETED);
  }

  @Override
  public void onIdle(long nowNs) {
    hear(Event.IDLE);
  }

  @Override
  public void onKvStored(RequestView request, KvBlocksStored blocks) {
    hear(Event.KV_STORED);
  }

  @Override
  public void onKvRemoved(long contentHash, int group) {
    hear(Event.KV_REMOVED);
  }

  @Override
  public void onKvCleared() {
    hear(Event.KV_CLEARED);
  }

  @Override
  public void close() {
    hear(Event.CLOSE);
  }
}
