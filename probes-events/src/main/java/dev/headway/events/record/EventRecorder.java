package dev.headway.events.record;

import dev.headway.api.kvcache.KvBlockRemoved;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheCleared;
import dev.headway.api.kvcache.KvTransfer;
import dev.headway.api.probe.AdmissionsClosedEvent;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.CacheResetEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.FirstTokenEvent;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.LimitsChangedEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.RejectedEvent;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.probe.ScoredEvent;
import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.probe.UnblockedEvent;
import java.util.EnumSet;
import java.util.Set;

/**
 * Encodes every event as a record and hands it to a {@link RecordSink}: to a journal, or to another
 * thread. Engine thread; allocates nothing once warm.
 */
public abstract class EventRecorder implements Probe {

  private static final int INITIAL_BYTES = 16 << 10;

  private final JournalLevel level;
  private final RecordSink sink;
  private final RecordBuffer buffer = new RecordBuffer(INITIAL_BYTES);
  private final KvBatchRecord kvBatch = new KvBatchRecord();
  private final DraftCounts counts = new DraftCounts();

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
      case SUMMARY, OFF ->
          EnumSet.of(
              ProbeInterest.REQUESTS,
              ProbeInterest.STEPS,
              ProbeInterest.CACHE_RESETS,
              ProbeInterest.JOURNEYS);
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
    final long runId = RunStartedRecord.encode(buffer, run, level.label());
    sink.start(buffer, runId, run.virtualTime());
  }

  @Override
  public void onQueued(QueuedEvent event) {
    if (sink.accepts(event.atNs())) {
      QueuedRecord.encode(buffer, event);
      append();
    }
  }

  @Override
  public void onRejected(RejectedEvent event) {
    if (sink.accepts(event.atNs())) {
      RejectedRecord.encode(buffer, event);
      append();
    }
  }

  @Override
  public void onAdmitted(AdmittedEvent event) {
    if (sink.accepts()) {
      AdmittedRecord.encode(buffer, event);
      append();
    }
  }

  @Override
  public void onBlocked(BlockedEvent event) {
    if (isFull() && sink.accepts()) {
      BlockedRecord.encode(buffer, event);
      append();
    }
  }

  @Override
  public void onUnblocked(UnblockedEvent event) {
    if (isFull() && sink.accepts()) {
      UnblockedRecord.encode(buffer, event);
      append();
    }
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedEvent event) {
    if (isFull() && sink.accepts()) {
      AdmissionsClosedRecord.encode(buffer, event);
      append();
    }
  }

  @Override
  public void onPreempted(PreemptedEvent event) {
    if (sink.accepts()) {
      PreemptedRecord.encode(buffer, event);
      append();
    }
  }

  @Override
  public void onCacheReset(CacheResetEvent event) {
    if (sink.accepts(event.atNs())) {
      CacheResetRecord.encode(buffer, event);
      append();
    }
  }

  @Override
  public void onLimitsChanged(LimitsChangedEvent event) {
    if (sink.accepts(event.atNs())) {
      LimitsChangedRecord.encode(buffer, event);
      append();
    }
  }

  @Override
  public void onScored(ScoredEvent event) {
    if (level == JournalLevel.DEBUG && sink.accepts()) {
      ScoredRecord.encode(buffer, event);
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
  public void onPlanned(PlannedEvent event) {
    if (sink.accepts(event.endNs())) {
      if (isFull()) {
        PlannedRecord.encode(buffer, event);
      } else {
        PlannedRecord.encodeSummary(buffer, event);
      }
      append();
    }
  }

  @Override
  public void onFirstToken(FirstTokenEvent event) {
    if (sink.accepts(event.atNs())) {
      FirstTokenRecord.encode(buffer, event);
      append();
    }
  }

  @Override
  public void onFinished(FinishedEvent event) {
    if (sink.accepts(event.atNs())) {
      FinishedRecord.encode(buffer, event);
      append();
    }
  }

  @Override
  public void onStepCompleted(StepCompletedEvent event) {
    if (sink.accepts(event.endNs())) {
      if (isFull()) {
        StepCompletedRecord.encode(buffer, event, counts);
      } else {
        StepCompletedRecord.encodeSummary(buffer, event, counts);
      }
      append();
      sink.stepCompleted();
    }
  }

  @Override
  public void onKvStored(KvBlocksStored blocks) {
    if (!isFull()) {
      return;
    }
    if (KvBatchRecord.fits(blocks)) {
      if (sink.accepts()) {
        kvBatch.addStored(blocks);
        handOverFullBatch();
      }
      return;
    }
    int from = 0;
    while (from < blocks.count() && sink.accepts()) {
      from = KvStoredRecord.encode(buffer, blocks, from);
      append();
    }
  }

  @Override
  public void onKvRemoved(KvBlockRemoved event) {
    if (!isFull() || !sink.accepts()) {
      return;
    }
    final int group = event.group();
    if (KvBatchRecord.fits(group)) {
      kvBatch.addRemoved(event.contentHash(), group);
      handOverFullBatch();
    } else {
      KvRemovedRecord.encode(buffer, event.contentHash(), group);
      append();
    }
  }

  @Override
  public void onKvCleared(KvCacheCleared event) {
    if (isFull() && sink.accepts()) {
      KvClearedRecord.encode(buffer);
      append();
    }
  }

  @Override
  public void onKvTransfer(KvTransfer transfer) {
    if (isFull() && sink.accepts(transfer.atNs())) {
      KvTransferRecord.encode(buffer, transfer);
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
