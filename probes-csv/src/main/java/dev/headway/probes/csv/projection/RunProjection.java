package dev.headway.probes.csv.projection;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.JournalVisitor;
import dev.headway.probes.csv.option.ConvertOptions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns the records of a journal into rows.
 *
 * <p>One thread. Call {@link #finish} after the last record; without it the requests still alive
 * and the latest iterations have no rows. Memory is bounded by live requests and steps in flight.
 */
public final class RunProjection implements JournalVisitor {

  private final RowFiles files;
  private final ConvertOptions options;
  private final WaitReasons reasons;
  private final EventLog events;
  private final Anomalies anomalies = new Anomalies();
  private final List<RunHeader> headers = new ArrayList<>();
  private @Nullable RunRecords current;
  private boolean finished;

  /** Writes rows to {@code files}, which stay the caller's to close. */
  public RunProjection(RowFiles files, ConvertOptions options) {
    this.files = files;
    this.options = options;
    this.reasons = new WaitReasons(files.policy());
    this.events = new EventLog(files.events);
  }

  /** The start records so far. */
  public List<RunHeader> headers() {
    return List.copyOf(headers);
  }

  /** What was odd about the journal so far. */
  public Anomalies anomalies() {
    anomalies.eventsOutOfOrder(events.outOfOrder());
    return anomalies;
  }

  /** Whether the writer closed the latest run in good order. */
  public boolean endedCleanly() {
    return current != null && current.endedCleanly();
  }

  /** Writes the rows of what is still alive. Nothing is taken after that. */
  public void finish() {
    if (!finished && current != null) {
      current.close();
    }
    events.drain();
    finished = true;
  }

  @Override
  public void onRunStarted(RunHeader run) {
    if (current != null) {
      current.close();
    }
    final Run next = new Run(headers.size(), run);
    headers.add(run);
    events.startRun(next.index());
    current = new RunRecords(next, options, reasons, files, events, anomalies);
    current.started();
  }

  @Override
  public void onQueued(QueuedRequest request) {
    run()
        .queued(
            new RequestIdentity(
                request.number(),
                request.requestId(),
                run().cell(request.requestId()),
                request.arrivalNs(),
                request.queuedNs(),
                request.promptTokens(),
                request.maxTokens(),
                request.minTokens(),
                request.priority(),
                request.tenant(),
                request.ttftTargetNs(),
                request.timeoutNs(),
                request.adapter()));
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
    run()
        .rejected(
            new RequestIdentity(
                ABSENT,
                requestId,
                run().cell(requestId),
                arrivalNs,
                ABSENT,
                promptTokens,
                maxTokens,
                ABSENT,
                priority,
                tenant,
                ABSENT,
                ABSENT,
                null),
            reason,
            message);
  }

  @Override
  public void onAdmitted(AdmittedRequest admitted) {
    final RequestTimeline request = run().find(admitted.number());
    if (request != null) {
      run().decide(admitted.stepId(), new Decision.Admit(request, admitted));
    }
  }

  @Override
  public void onBlocked(
      long stepId, long number, String reason, long blockerNumber, int needed, int free) {
    final RequestTimeline request = run().find(number);
    if (request != null) {
      final RequestIdentity blocker = run().identityOf(blockerNumber);
      run().decide(stepId, new Decision.Block(request, reasons.of(reason), blocker, needed, free));
    }
  }

  @Override
  public void onUnblocked(long stepId, long number) {
    final RequestTimeline request = run().find(number);
    if (request != null) {
      run().decide(stepId, new Decision.Unblock(request));
    }
  }

  @Override
  public void onAdmissionsClosed(long stepId, String reason, long blockerNumber) {
    final RequestIdentity blocker = run().identityOf(blockerNumber);
    run().decide(stepId, new Decision.Close(reasons.of(reason), blocker));
  }

  @Override
  public void onPreempted(
      long stepId,
      long number,
      String cause,
      long beneficiaryNumber,
      int lostTokens,
      int freedBlocks) {
    final RequestTimeline request = run().find(number);
    if (request != null) {
      final RequestIdentity beneficiary = run().identityOf(beneficiaryNumber);
      run()
          .decide(
              stepId, new Decision.Preempt(request, cause, beneficiary, lostTokens, freedBlocks));
    }
  }

  @Override
  public void onCacheReset(String scope, long nowNs) {
    run().cacheReset(scope, nowNs);
  }

  @Override
  public void onPlanned(PlannedStep step) {
    run().planned(step);
  }

  @Override
  public void onFirstToken(long stepId, long number, long nowNs) {
    run().firstToken(stepId, number, nowNs);
  }

  @Override
  public void onFinished(FinishedRequest finished) {
    final RequestTimeline request = run().find(finished.number());
    if (request != null) {
      final Ending ending =
          new Ending(
              request,
              finished.stepId(),
              finished.reason(),
              finished.stopTokenId(),
              finished.cause(),
              finished.outputTokens(),
              finished.nowNs());
      run().finished(ending, finished.freedBlocks());
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
    run().kvStored(number, firstToken, count, contentHashes, hasParent, parent);
  }

  @Override
  public void onKvRemoved(long contentHash, int group) {
    run().kvRemoved(contentHash);
  }

  @Override
  public void onKvTransfer(MovedBlocks moved) {
    run().kvMoved(moved);
  }

  @Override
  public void onScored(long stepId, long number, double score) {
    run().scored(number, score);
  }

  @Override
  public void onJourney(
      String requestId, String stage, long atNs, @Nullable String reason, @Nullable String error) {
    run().journey(requestId, stage, atNs, reason, error);
  }

  @Override
  public void onKvCleared() {
    run().kvCleared();
  }

  @Override
  public void onDropped(long records) {
    run().dropped(records);
  }

  @Override
  public void onRunEnded(long nowNs) {
    run().ended(nowNs);
  }

  private RunRecords run() {
    if (current == null || finished) {
      throw new IllegalStateException(
          "records must stand between a start record and finish(): runs="
              + headers.size()
              + ", finished="
              + finished);
    }
    return current;
  }
}
