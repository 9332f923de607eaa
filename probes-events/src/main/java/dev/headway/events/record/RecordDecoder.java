package dev.headway.events.record;

import org.jspecify.annotations.Nullable;

/**
 * Decodes the records of one run and calls a visitor. One thread; keeps the words of the run's
 * start record and the views that the visitor is handed.
 */
public final class RecordDecoder {

  private final PlannedStepView planned;
  private final CompletedStepView completed;
  private @Nullable Labels labels;
  private long[] hashes = new long[64];
  private long lastStepId;
  private long lastInstantNs;

  /** Makes a decoder for the records that {@code cursor} will point at. */
  public RecordDecoder(RecordCursor cursor) {
    planned = new PlannedStepView(cursor);
    completed = new CompletedStepView(cursor);
  }

  /** The latest step that a PLANNED or STEP_COMPLETED record was about, 0 before the first. */
  public long lastStepId() {
    return lastStepId;
  }

  /** The end of that step, or of the run, 0 before the first. */
  public long lastInstantNs() {
    return lastInstantNs;
  }

  /**
   * Decodes the record and calls {@code visitor}.
   *
   * @return whether this version knows the type; if not, the visitor was not called
   * @throws MalformedRecordException if the payload does not fit the layout, before the visitor was
   *     called
   */
  public boolean decode(RecordCursor in, RecordVisitor visitor) {
    final int type = in.type();
    switch (type) {
      case RecordType.RUN_STARTED -> labels = decodeStart(in, visitor);
      case RecordType.QUEUED -> visitor.onQueued(QueuedRecord.decode(in));
      case RecordType.REJECTED -> visitor.onRejected(RejectedRecord.decode(in, labels()));
      case RecordType.ADMITTED -> visitor.onAdmitted(AdmittedRecord.decode(in, labels()));
      case RecordType.BLOCKED -> visitor.onBlocked(BlockedRecord.decode(in, labels()));
      case RecordType.UNBLOCKED -> visitor.onUnblocked(UnblockedRecord.decode(in));
      case RecordType.ADMISSIONS_CLOSED ->
          visitor.onAdmissionsClosed(AdmissionsClosedRecord.decode(in, labels()));
      case RecordType.PREEMPTED -> visitor.onPreempted(PreemptedRecord.decode(in, labels()));
      case RecordType.CACHE_RESET -> visitor.onCacheReset(CacheResetRecord.decode(in, labels()));
      case RecordType.PLANNED -> decodePlanned(in, visitor);
      case RecordType.FIRST_TOKEN -> visitor.onFirstToken(FirstTokenRecord.decode(in));
      case RecordType.FINISHED -> visitor.onFinished(FinishedRecord.decode(in, labels()));
      case RecordType.STEP_COMPLETED -> decodeCompleted(in, visitor);
      case RecordType.KV_STORED -> decodeStored(in, visitor);
      case RecordType.KV_REMOVED -> visitor.onKvRemoved(KvRemovedRecord.decode(in));
      case RecordType.KV_CLEARED -> visitor.onKvCleared();
      case RecordType.DROPPED -> visitor.onDropped(DroppedRecord.decode(in));
      case RecordType.RUN_ENDED -> decodeEnd(in, visitor);
      case RecordType.SCORED -> visitor.onScored(ScoredRecord.decode(in));
      case RecordType.JOURNEY -> visitor.onJourney(JourneyRecord.decode(in, labels()));
      case RecordType.KV_BATCH -> hashes = KvBatchRecord.decode(in, hashes, visitor);
      case RecordType.LIMITS_CHANGED -> visitor.onLimitsChanged(LimitsChangedRecord.decode(in));
      case RecordType.KV_TRANSFER -> visitor.onKvTransfer(KvTransferRecord.decode(in, labels()));
      default -> {
        return false;
      }
    }
    return true;
  }

  /** Returns the figure of a DROPPED record. */
  public long droppedRecords(RecordCursor in) {
    return in.type() == RecordType.DROPPED ? in.longAt(16) : 0;
  }

  /** Whether the record is the last of its run. */
  public boolean isEnd(RecordCursor in) {
    return in.type() == RecordType.RUN_ENDED;
  }

  private Labels decodeStart(RecordCursor in, RecordVisitor visitor) {
    final Labels words = RunStartedRecord.labels(in);
    visitor.onRunStarted(RunStartedRecord.decode(in));
    return words;
  }

  private void decodeStored(RecordCursor in, RecordVisitor visitor) {
    final KvStoredRecord stored = KvStoredRecord.decode(in, hashes);
    hashes = stored.contentHashes();
    visitor.onKvStored(stored);
  }

  private void decodePlanned(RecordCursor in, RecordVisitor visitor) {
    lastStepId = in.longAt(16);
    lastInstantNs = in.longAt(32);
    planned.wrap(in);
    visitor.onPlanned(planned);
  }

  private void decodeCompleted(RecordCursor in, RecordVisitor visitor) {
    lastStepId = in.longAt(16);
    lastInstantNs = in.longAt(40);
    completed.wrap(in);
    visitor.onStepCompleted(completed);
  }

  private void decodeEnd(RecordCursor in, RecordVisitor visitor) {
    lastInstantNs = in.longAt(16);
    visitor.onRunEnded(RunEndedRecord.decode(in));
  }

  private Labels labels() {
    if (labels == null) {
      throw new MalformedRecordException("expected a start record before, found none");
    }
    return labels;
  }
}
