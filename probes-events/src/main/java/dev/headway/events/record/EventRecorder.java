package dev.headway.events.record;

import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvTransfer;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
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
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Puts every event into a record and hands it to a {@link RecordSink}: to a journal, or to another
 * thread. Engine thread; allocates nothing once warm.
 */
public abstract class EventRecorder implements Probe {

  private static final int INITIAL_BYTES = 16 << 10;

  private final JournalLevel level;
  private final RecordSink sink;
  private final RecordBuffer buffer = new RecordBuffer(INITIAL_BYTES);
  private final KvBatchRecord kvBatch = new KvBatchRecord();

  /**
   * Makes a recorder.
   *
   * @param level what is recorded
   * @param sink takes the records; closed with the recorder
   */
  protected EventRecorder(JournalLevel level, RecordSink sink) {
    this.level = level;
    this.sink = sink;
  }

  @Override
  public Set<ProbeInterest> interests() {
    return switch (level) {
      case DEBUG -> EnumSet.allOf(ProbeInterest.class);
      case FULL -> EnumSet.complementOf(EnumSet.of(ProbeInterest.SCORES));
      case SUMMARY, OFF -> EnumSet.of(ProbeInterest.REQUESTS, ProbeInterest.STEPS);
    };
  }

  /**
   * Hands the start record over.
   *
   * @throws IllegalArgumentException if the attributes take more than 4 MiB
   * @throws IllegalStateException if the run has started before
   */
  @Override
  public void onRunStarted(RunInfo run) {
    RunStartedRecord.encode(buffer, run, level.label());
    sink.start(buffer, run.virtualTime());
  }

  @Override
  public void onQueued(RequestView request) {
    if (sink.accepts(request.queuedNs())) {
      QueuedRecord.encode(buffer, request);
      append();
    }
  }

  @Override
  public void onRejected(Rejection rejection) {
    if (sink.accepts(rejection.arrivalNs())) {
      RejectedRecord.encode(buffer, rejection);
      append();
    }
  }

  @Override
  public void onAdmitted(
      long stepId, RequestView request, EntryKind kind, int cachedTokens, int lostTokens) {
    if (sink.accepts()) {
      AdmittedRecord.encode(buffer, stepId, request, kind, cachedTokens, lostTokens);
      append();
    }
  }

  @Override
  public void onBlocked(
      long stepId,
      RequestView request,
      WaitReason reason,
      @Nullable RequestView blocker,
      int needed,
      int free) {
    if (isFull() && sink.accepts()) {
      BlockedRecord.encode(buffer, stepId, request, reason, blocker, needed, free);
      append();
    }
  }

  @Override
  public void onUnblocked(long stepId, RequestView request) {
    if (isFull() && sink.accepts()) {
      UnblockedRecord.encode(buffer, stepId, request);
      append();
    }
  }

  @Override
  public void onAdmissionsClosed(long stepId, WaitReason reason, @Nullable RequestView blocker) {
    if (isFull() && sink.accepts()) {
      AdmissionsClosedRecord.encode(buffer, stepId, reason, blocker);
      append();
    }
  }

  @Override
  public void onPreempted(
      long stepId,
      RequestView victim,
      PreemptionCause cause,
      @Nullable RequestView beneficiary,
      int lostTokens,
      int freedBlocks) {
    if (sink.accepts()) {
      PreemptedRecord.encode(buffer, stepId, victim, cause, beneficiary, lostTokens, freedBlocks);
      append();
    }
  }

  @Override
  public void onCacheReset(ResetScope scope, long nowNs) {
    if (sink.accepts(nowNs)) {
      CacheResetRecord.encode(buffer, scope, nowNs);
      append();
    }
  }

  @Override
  public void onScored(long stepId, RequestView candidate, double score) {
    if (level == JournalLevel.DEBUG && sink.accepts()) {
      ScoredRecord.encode(buffer, stepId, candidate, score);
      append();
    }
  }

  @Override
  public void onJourney(JourneyEvent event) {
    if (sink.accepts(event.atNs())) {
      JourneyRecord.encode(buffer, event);
      append();
    }
  }

  @Override
  public void onPlanned(StepPlan plan) {
    if (sink.accepts(plan.endNs())) {
      if (isFull()) {
        PlannedRecord.encode(buffer, plan);
      } else {
        PlannedRecord.encodeSummary(buffer, plan);
      }
      append();
    }
  }

  @Override
  public void onFirstToken(long stepId, RequestView request, long nowNs) {
    if (sink.accepts(nowNs)) {
      FirstTokenRecord.encode(buffer, stepId, request, nowNs);
      append();
    }
  }

  @Override
  public void onFinished(
      long stepId,
      RequestView request,
      FinishReason reason,
      int stopTokenId,
      @Nullable Throwable cause,
      int freedBlocks,
      long nowNs) {
    if (sink.accepts(nowNs)) {
      FinishedRecord.encode(
          buffer, stepId, request, reason, stopTokenId, cause, freedBlocks, nowNs);
      append();
    }
  }

  @Override
  public void onStepCompleted(StepResult result) {
    if (sink.accepts(result.endNs())) {
      if (isFull()) {
        StepCompletedRecord.encode(buffer, result);
      } else {
        StepCompletedRecord.encodeSummary(buffer, result);
      }
      append();
      sink.stepCompleted();
    }
  }

  @Override
  public void onKvStored(RequestView request, KvBlocksStored blocks) {
    if (!isFull()) {
      return;
    }
    if (KvBatchRecord.fits(blocks)) {
      if (sink.accepts()) {
        kvBatch.addStored(request, blocks);
        handOverFullBatch();
      }
      return;
    }
    int from = 0;
    while (from < blocks.count() && sink.accepts()) {
      from = KvStoredRecord.encode(buffer, request, blocks, from);
      append();
    }
  }

  @Override
  public void onKvRemoved(long contentHash, int group) {
    if (!isFull() || !sink.accepts()) {
      return;
    }
    if (KvBatchRecord.fits(group)) {
      kvBatch.addRemoved(contentHash, group);
      handOverFullBatch();
    } else {
      KvRemovedRecord.encode(buffer, contentHash, group);
      append();
    }
  }

  @Override
  public void onKvCleared() {
    if (isFull() && sink.accepts()) {
      KvClearedRecord.encode(buffer);
      append();
    }
  }

  @Override
  public void onKvTransfer(KvTransfer transfer, long nowNs) {
    if (isFull() && sink.accepts(nowNs)) {
      KvTransferRecord.encode(buffer, transfer, nowNs);
      append();
    }
  }

  @Override
  public void onIdle(long nowNs) {
    handOverBatch();
    sink.idle(nowNs);
  }

  @Override
  public void close() {
    handOverBatch();
    sink.close();
  }

  /** Hands the record in the buffer over, behind the KV events that came before it. */
  private void append() {
    handOverBatch();
    sink.append(buffer);
  }

  private void handOverFullBatch() {
    if (kvBatch.isFull()) {
      handOverBatch();
    }
  }

  private void handOverBatch() {
    if (!kvBatch.isEmpty()) {
      sink.append(kvBatch.take());
    }
  }

  private boolean isFull() {
    return level.compareTo(JournalLevel.FULL) >= 0;
  }
}
