package dev.headway.events.record;

import org.jspecify.annotations.Nullable;

/**
 * Tells a visitor what stands in the records of one run. One thread; keeps the words of the run's
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
   * Tells {@code visitor} about the record.
   *
   * @return whether this version knows the type; if not, nothing was told
   * @throws MalformedRecordException if the payload does not fit the layout, before anything was
   *     told
   */
  public boolean decode(RecordCursor in, JournalVisitor visitor) {
    final int type = in.type();
    switch (type) {
      case RecordType.RUN_STARTED -> labels = RunStartedRecord.decode(in, visitor);
      case RecordType.QUEUED -> QueuedRecord.decode(in, visitor);
      case RecordType.REJECTED -> RejectedRecord.decode(in, labels(), visitor);
      case RecordType.ADMITTED -> AdmittedRecord.decode(in, labels(), visitor);
      case RecordType.BLOCKED -> BlockedRecord.decode(in, labels(), visitor);
      case RecordType.UNBLOCKED -> UnblockedRecord.decode(in, visitor);
      case RecordType.ADMISSIONS_CLOSED -> AdmissionsClosedRecord.decode(in, labels(), visitor);
      case RecordType.PREEMPTED -> PreemptedRecord.decode(in, labels(), visitor);
      case RecordType.CACHE_RESET -> CacheResetRecord.decode(in, labels(), visitor);
      case RecordType.PLANNED -> decodePlanned(in, visitor);
      case RecordType.FIRST_TOKEN -> FirstTokenRecord.decode(in, visitor);
      case RecordType.FINISHED -> FinishedRecord.decode(in, labels(), visitor);
      case RecordType.STEP_COMPLETED -> decodeCompleted(in, visitor);
      case RecordType.KV_STORED -> hashes = KvStoredRecord.decode(in, hashes, visitor);
      case RecordType.KV_REMOVED -> KvRemovedRecord.decode(in, visitor);
      case RecordType.KV_CLEARED -> visitor.onKvCleared();
      case RecordType.DROPPED -> DroppedRecord.decode(in, visitor);
      case RecordType.RUN_ENDED -> decodeEnd(in, visitor);
      case RecordType.SCORED -> ScoredRecord.decode(in, visitor);
      case RecordType.JOURNEY -> JourneyRecord.decode(in, labels(), visitor);
      case RecordType.KV_BATCH -> hashes = KvBatchRecord.decode(in, hashes, visitor);
      case RecordType.KV_TRANSFER -> KvTransferRecord.decode(in, labels(), visitor);
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

  private void decodePlanned(RecordCursor in, JournalVisitor visitor) {
    lastStepId = in.longAt(16);
    lastInstantNs = in.longAt(32);
    PlannedRecord.decode(in, planned, visitor);
  }

  private void decodeCompleted(RecordCursor in, JournalVisitor visitor) {
    lastStepId = in.longAt(16);
    lastInstantNs = in.longAt(40);
    StepCompletedRecord.decode(in, completed, visitor);
  }

  private void decodeEnd(RecordCursor in, JournalVisitor visitor) {
    lastInstantNs = in.longAt(16);
    RunEndedRecord.decode(in, visitor);
  }

  private Labels labels() {
    if (labels == null) {
      throw new MalformedRecordException("expected a start record before, found none");
    }
    return labels;
  }
}
