package dev.headway.events.model;

import dev.headway.events.live.RecordConsumer;
import dev.headway.events.record.AdmissionsClosedRecord;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.BlockedRecord;
import dev.headway.events.record.CacheResetRecord;
import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.DroppedRecord;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.JourneyRecord;
import dev.headway.events.record.KvRemovedRecord;
import dev.headway.events.record.KvStoredRecord;
import dev.headway.events.record.KvTransferRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.events.record.RunEndedRecord;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.events.record.ScoredRecord;
import dev.headway.events.record.UnblockedRecord;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Interprets the records of a run: builds timelines of requests and steps from them and notifies a
 * {@link RunListener}.
 *
 * <p>One thread. Records that name an unknown request are skipped and counted. {@link #close}
 * concludes the latest run and closes the listener.
 *
 * <p>A consumer that needs more than a listener extends this class and is fed records like any
 * other.
 */
public class RunModel implements RecordConsumer {

  private final RunListener listener;
  private @Nullable RunTracker current;
  private int runs;
  private long droppedRecords;

  /** Creates a model that notifies {@code listener} and closes it on {@link #close}. */
  public RunModel(RunListener listener) {
    this.listener = listener;
  }

  /** Records that the writer had to drop. */
  public final long droppedRecords() {
    return droppedRecords;
  }

  @Override
  public void onRunStarted(RunStartedRecord header) {
    concludeRun();
    final RunTimeline run = new RunTimeline(runs++, header);
    final RunListener ofRun = listener.onRun(run);
    if (ofRun instanceof WaitListener waits && !run.waits().areBooked()) {
      run.bookWaits(waits);
    }
    current = new RunTracker(run, ofRun);
  }

  @Override
  public void onQueued(QueuedRecord queued) {
    run().onQueued(queued);
  }

  @Override
  public void onRejected(RejectedRecord rejected) {
    run().onRejected(rejected);
  }

  @Override
  public void onAdmitted(AdmittedRecord admitted) {
    run().onAdmitted(admitted);
  }

  @Override
  public void onBlocked(BlockedRecord blocked) {
    run().onBlocked(blocked);
  }

  @Override
  public void onUnblocked(UnblockedRecord unblocked) {
    run().onUnblocked(unblocked);
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedRecord closed) {
    run().onAdmissionsClosed(closed);
  }

  @Override
  public void onPreempted(PreemptedRecord preempted) {
    run().onPreempted(preempted);
  }

  @Override
  public void onCacheReset(CacheResetRecord reset) {
    run().onCacheReset(reset);
  }

  @Override
  public void onScored(ScoredRecord scored) {
    run().onScored(scored);
  }

  @Override
  public void onJourney(JourneyRecord journey) {
    run().onJourney(journey);
  }

  @Override
  public void onPlanned(PlannedStep step) {
    run().onPlanned(step);
  }

  @Override
  public void onFirstToken(FirstTokenRecord firstToken) {
    run().onFirstToken(firstToken);
  }

  @Override
  public void onFinished(FinishedRecord finished) {
    run().onFinished(finished);
  }

  /**
   * As {@link #onFinished(FinishedRecord)}, from a source whose steps have no entries.
   *
   * @param computedTokens tokens of the request that have been computed since it was last admitted,
   *     those found in the prefix cache included
   */
  public void onFinished(FinishedRecord finished, int computedTokens) {
    run().onFinished(finished, computedTokens);
  }

  @Override
  public void onStepCompleted(CompletedStep step) {
    run().onStepCompleted(step);
  }

  @Override
  public void onKvStored(KvStoredRecord stored) {
    run().onKvStored(stored);
  }

  @Override
  public void onKvRemoved(KvRemovedRecord removed) {
    run().onKvRemoved(removed);
  }

  @Override
  public void onKvCleared() {
    run().onKvCleared();
  }

  @Override
  public void onKvTransfer(KvTransferRecord transfer) {
    run().onKvTransfer(transfer);
  }

  @Override
  public void onDropped(DroppedRecord dropped) {
    droppedRecords += dropped.records();
    run().onDropped(dropped);
  }

  @Override
  public void onRunEnded(RunEndedRecord end) {
    run().onRunEnded(end);
  }

  @Override
  public void flush(long records) throws IOException {
    listener.flush();
  }

  @Override
  public void close() throws IOException {
    concludeRun();
    listener.close();
  }

  /**
   * Concludes the latest run, unless done already: its listener is notified of what is still open.
   */
  protected final void concludeRun() {
    final RunTracker last = current;
    current = null;
    if (last != null) {
      last.conclude();
    }
  }

  private RunTracker run() {
    if (current == null) {
      throw new IllegalStateException("records must follow a start record: runs=" + runs);
    }
    return current;
  }
}
