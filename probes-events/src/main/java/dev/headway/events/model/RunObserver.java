package dev.headway.events.model;

import dev.headway.events.live.RecordConsumer;
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
  public void onRunStarted(RunHeader header) {
    concludeRun();
    final ObservedRun run = new ObservedRun(runs++, header);
    ofRun = listener.onRun(run);
    current = new RequestBook(run, ofRun);
  }

  @Override
  public void onQueued(QueuedRequest request) {
    book().queued(request);
  }

  @Override
  public void onRejected(
      String requestId,
      long arrivalNs,
      String reason,
      String message,
      int promptTokens,
      int maxTokens,
      int priority,
      @Nullable String tenant) {
    book().at(arrivalNs);
    ofRun.onRejected(new Rejection(requestId, arrivalNs, reason, message, tenant));
  }

  @Override
  public void onAdmitted(AdmittedRequest admitted) {
    book().admitted(admitted.stepId(), admitted.number(), admitted.cachedTokens());
  }

  @Override
  public void onBlocked(
      long stepId, long number, String reason, long blockerNumber, int needed, int free) {
    book().explained(stepId, number, reason, blockerNumber);
  }

  @Override
  public void onUnblocked(long stepId, long number) {
    book().explained(stepId, number, null, -1);
  }

  @Override
  public void onAdmissionsClosed(long stepId, String reason, long blockerNumber) {
    book().admissionsClosed(stepId, reason, blockerNumber);
  }

  @Override
  public void onPreempted(
      long stepId,
      long number,
      String cause,
      long beneficiaryNumber,
      int lostTokens,
      int freedBlocks) {
    book().preempted(stepId, number, cause, beneficiaryNumber, lostTokens, freedBlocks);
  }

  @Override
  public void onCacheReset(String scope, long nowNs) {
    book().at(nowNs);
  }

  @Override
  public void onPlanned(PlannedStep step) {
    book().planned(step);
  }

  @Override
  public void onFirstToken(long stepId, long number, long nowNs) {
    book().firstToken(number, nowNs);
  }

  @Override
  public void onFinished(FinishedRequest finished) {
    book().finished(finished);
  }

  @Override
  public void onStepCompleted(CompletedStep step) {
    book().completed(step);
  }

  @Override
  public void onKvStored(
      long number,
      int firstToken,
      int count,
      long[] contentHashes,
      boolean hasParent,
      long parent,
      int group) {
    ofRun.onKvChanged(count, 0);
  }

  @Override
  public void onKvRemoved(long contentHash, int group) {
    book().removedBlock();
    ofRun.onKvChanged(0, 1);
  }

  @Override
  public void onDropped(long records) {
    droppedRecords += records;
    ofRun.onDropped(records);
  }

  @Override
  public void onRunEnded(long nowNs) {
    book().ended(nowNs);
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
