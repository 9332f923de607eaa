package dev.headway.probes.csv.track;

import dev.headway.probes.chronicle.live.RecordConsumer;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns the records of a journal into what {@link TrackListener}s hear.
 *
 * <p>One thread. {@link #close} concludes the latest run and the observer. Records that name an
 * unknown request are skipped and counted.
 */
public final class RunTracker implements RecordConsumer {

  private final RunObserver observer;
  private TrackListener listener = new TrackListener() {};
  private @Nullable RunState current;
  private Causes causes = new Causes();
  private int runs;
  private long unknownRequests;

  /** Tells the listeners that {@code observer} gives to the runs what happens. */
  public RunTracker(RunObserver observer) {
    this.observer = observer;
  }

  /** Nothing comes any more. */
  @Override
  public void close() throws IOException {
    concludeRun();
    observer.close();
  }

  /** Runs seen. */
  public int runs() {
    return runs;
  }

  /** Records that named a request which was never queued, or has ended. */
  public long unknownRequests() {
    return unknownRequests;
  }

  /** The requests alive now. */
  public Collection<TrackedRequest> live() {
    return current == null ? List.of() : current.live();
  }

  /** Every cause of the run so far, by its index; grows while the run is read. */
  public List<Cause> causes() {
    return causes.all();
  }

  @Override
  public void onRunStarted(RunHeader header) {
    concludeRun();
    causes = new Causes();
    listener = observer.listen(runs++, header, this);
    current = new RunState(listener, causes);
  }

  @Override
  public void onQueued(QueuedRequest request) {
    run().queued(request);
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
    run().at(arrivalNs);
    listener.rejected(new Rejection(requestId, arrivalNs, reason, message, tenant));
  }

  @Override
  public void onAdmitted(long stepId, long number, String kind, int cachedTokens, int lostTokens) {
    final TrackedRequest request = find(number);
    if (request != null) {
      run().decide(stepId, new RunState.Admit(request, cachedTokens));
    }
  }

  @Override
  public void onBlocked(
      long stepId, long number, String reason, long blockerNumber, int needed, int free) {
    final TrackedRequest request = find(number);
    if (request != null) {
      run().decide(stepId, new RunState.Block(request, reason, run().get(blockerNumber)));
    }
  }

  @Override
  public void onUnblocked(long stepId, long number) {
    final TrackedRequest request = find(number);
    if (request != null) {
      run().decide(stepId, new RunState.Block(request, null, null));
    }
  }

  @Override
  public void onAdmissionsClosed(long stepId, String reason, long blockerNumber) {
    run().decide(stepId, new RunState.Close(reason, run().get(blockerNumber)));
  }

  @Override
  public void onPreempted(
      long stepId,
      long number,
      String cause,
      long beneficiaryNumber,
      int lostTokens,
      int freedBlocks) {
    final TrackedRequest request = find(number);
    if (request != null) {
      final TrackedRequest beneficiary = run().get(beneficiaryNumber);
      run()
          .decide(
              stepId,
              new RunState.Preempt(
                  new Preemption(request, cause, beneficiary, lostTokens, freedBlocks)));
    }
  }

  @Override
  public void onCacheReset(String scope, long nowNs) {
    run().at(nowNs);
  }

  @Override
  public void onPlanned(PlannedStep step) {
    run().planned(step);
  }

  @Override
  public void onFirstToken(long stepId, long number, long nowNs) {
    final TrackedRequest request = find(number);
    if (request != null) {
      run().firstToken(request, nowNs);
    }
  }

  @Override
  public void onFinished(FinishedRequest finished) {
    final TrackedRequest request = find(finished.number());
    if (request != null) {
      run().finished(request, finished);
    }
  }

  @Override
  public void onStepCompleted(CompletedStep step) {
    run().completed(step);
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
    listener.kvChanged(count, 0);
  }

  @Override
  public void onKvRemoved(long contentHash, int group) {
    listener.kvChanged(0, 1);
  }

  @Override
  public void onDropped(long records) {
    listener.dropped(records);
  }

  @Override
  public void onRunEnded(long nowNs) {
    run().ended(nowNs);
  }

  private void concludeRun() {
    final RunState last = current;
    current = null;
    if (last != null) {
      last.conclude();
    }
  }

  private @Nullable TrackedRequest find(long number) {
    final TrackedRequest request = run().get(number);
    if (request == null) {
      unknownRequests++;
    }
    return request;
  }

  private RunState run() {
    if (current == null) {
      throw new IllegalStateException("records must follow a start record: runs=" + runs);
    }
    return current;
  }
}
