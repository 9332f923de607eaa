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
import dev.headway.events.record.KvRemovedRecord;
import dev.headway.events.record.KvStoredRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.events.record.RunEndedRecord;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.events.record.UnblockedRecord;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Puts records together to requests and steps and tells a {@link RunListener} of them.
 *
 * <p>One thread. Records that name an unknown request are skipped and counted. {@link #close}
 * concludes the latest run and closes the listener.
 */
public final class RunObserver implements RecordConsumer {

  private final RunListener listener;
  private RunListener ofRun;
  private @Nullable RequestBook current;
  private int runs;
  private long droppedRecords;

  /** Tells {@code listener}, and closes it with this. */
  public RunObserver(RunListener listener) {
    this.listener = listener;
    this.ofRun = listener;
  }

  /** Records that the writer had to drop. */
  public long droppedRecords() {
    return droppedRecords;
  }

  @Override
  public void onRunStarted(RunStartedRecord header) {
    concludeRun();
    final ObservedRun run = new ObservedRun(runs++, header);
    ofRun = listener.onRun(run);
    current = new RequestBook(run, ofRun);
  }

  @Override
  public void onQueued(QueuedRecord request) {
    book().queued(request);
  }

  @Override
  public void onRejected(RejectedRecord rejected) {
    book().at(rejected.atNs());
    ofRun.onRejected(
        new Rejection(
            rejected.requestId(),
            rejected.atNs(),
            rejected.reason(),
            rejected.message(),
            rejected.tenant()));
  }

  @Override
  public void onAdmitted(AdmittedRecord admitted) {
    book().admitted(admitted.stepId(), admitted.requestNumber(), admitted.cachedTokens());
  }

  @Override
  public void onBlocked(BlockedRecord blocked) {
    book()
        .explained(
            blocked.stepId(), blocked.requestNumber(), blocked.reason(), blocked.blockerNumber());
  }

  @Override
  public void onUnblocked(UnblockedRecord unblocked) {
    book().explained(unblocked.stepId(), unblocked.requestNumber(), null, -1);
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedRecord closed) {
    book().admissionsClosed(closed.stepId(), closed.reason(), closed.blockerNumber());
  }

  @Override
  public void onPreempted(PreemptedRecord record) {
    book()
        .preempted(
            record.stepId(),
            record.requestNumber(),
            record.cause(),
            record.beneficiaryNumber(),
            record.lostTokens(),
            record.freedBlocks());
  }

  @Override
  public void onCacheReset(CacheResetRecord reset) {
    book().at(reset.atNs());
  }

  @Override
  public void onPlanned(PlannedStep step) {
    book().planned(step);
  }

  @Override
  public void onFirstToken(FirstTokenRecord record) {
    book().firstToken(record.requestNumber(), record.atNs());
  }

  @Override
  public void onFinished(FinishedRecord finished) {
    book().finished(finished);
  }

  @Override
  public void onStepCompleted(CompletedStep step) {
    book().completed(step);
  }

  @Override
  public void onKvStored(KvStoredRecord stored) {
    ofRun.onKvChanged(stored.count(), 0);
  }

  @Override
  public void onKvRemoved(KvRemovedRecord removed) {
    book().removedBlock();
    ofRun.onKvChanged(0, 1);
  }

  @Override
  public void onDropped(DroppedRecord dropped) {
    droppedRecords += dropped.records();
    ofRun.onDropped(dropped.records());
  }

  @Override
  public void onRunEnded(RunEndedRecord end) {
    book().ended(end.atNs());
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

  private void concludeRun() {
    final RequestBook last = current;
    current = null;
    if (last != null) {
      last.conclude();
    }
  }

  private RequestBook book() {
    if (current == null) {
      throw new IllegalStateException("records must follow a start record: runs=" + runs);
    }
    return current;
  }
}
