package dev.headway.events.record;

/**
 * Is handed the records of a run, in the order in which they were written: from a journal, from a
 * running engine through memory, or from the engine's own thread. What {@code
 * dev.headway.api.probe.Probe} is to a scheduler, this is to a reader, with requests as numbers and
 * enumerations as the words that the writer stored, so that an older reader can show the words of a
 * newer writer.
 *
 * <p>One thread. Steps are reused views, valid during the call; everything else may be kept. A
 * figure or number that is not there is {@link dev.headway.api.Absent}.
 */
public interface RecordVisitor {

  /**
   * The start record. Always first; with another one a new run begins, and no request of the run
   * before it goes on.
   */
  default void onRunStarted(RunStartedRecord run) {}

  /** A request entered the waiting queue. */
  default void onQueued(QueuedRecord queued) {}

  /** A request was refused at submission. */
  default void onRejected(RejectedRecord rejected) {}

  /** A request was admitted. */
  default void onAdmitted(AdmittedRecord admitted) {}

  /** A request was examined and got nothing, for a new reason. */
  default void onBlocked(BlockedRecord blocked) {}

  /** The individual wait reason of a request was cleared. */
  default void onUnblocked(UnblockedRecord unblocked) {}

  /** The reason shared by the waiting requests that were not examined has changed. */
  default void onAdmissionsClosed(AdmissionsClosedRecord closed) {}

  /** A running request was preempted, back into the waiting queue. */
  default void onPreempted(PreemptedRecord preempted) {}

  /** A prefix-cache reset began. */
  default void onCacheReset(CacheResetRecord reset) {}

  /** The limits of the engine were changed. */
  default void onLimitsChanged(LimitsChangedRecord changed) {}

  /** A policy has ranked a waiting request. */
  default void onScored(ScoredRecord scored) {}

  /** The server around the engine reported a stage of a request's journey. */
  default void onJourney(JourneyRecord journey) {}

  /** A step was planned. */
  default void onPlanned(PlannedStep step) {}

  /** The first token of a request is available. */
  default void onFirstToken(FirstTokenRecord firstToken) {}

  /** A request ended. */
  default void onFinished(FinishedRecord finished) {}

  /** A step is done. */
  default void onStepCompleted(CompletedStep step) {}

  /** KV blocks became findable. */
  default void onKvStored(KvStoredRecord stored) {}

  /** A cached block was taken for other content. */
  default void onKvRemoved(KvRemovedRecord removed) {}

  /** Everything cached was forgotten. */
  default void onKvCleared() {}

  /** KV blocks move between tiers. */
  default void onKvTransfer(KvTransferRecord transfer) {}

  /** Events got no record between the record before and the next. */
  default void onDropped(DroppedRecord dropped) {}

  /** The writer ended the run in good order. */
  default void onRunEnded(RunEndedRecord end) {}
}
