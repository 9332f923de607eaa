package dev.headway.probes.csv.projection;

import static dev.headway.api.Absent.ABSENT;

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
import dev.headway.events.record.RecordVisitor;
import dev.headway.events.record.RejectedRecord;
import dev.headway.events.record.RunEndedRecord;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.events.record.ScoredRecord;
import dev.headway.events.record.UnblockedRecord;
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
public final class RunProjection implements RecordVisitor {

  private final RowFiles files;
  private final ConvertOptions options;
  private final WaitReasons reasons;
  private final EventLog events;
  private final Anomalies anomalies = new Anomalies();
  private final List<RunStartedRecord> headers = new ArrayList<>();
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
  public List<RunStartedRecord> headers() {
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
  public void onRunStarted(RunStartedRecord run) {
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
  public void onQueued(QueuedRecord request) {
    run()
        .queued(
            new RequestIdentity(
                request.requestNumber(),
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
  public void onRejected(RejectedRecord record) {
    run()
        .rejected(
            new RequestIdentity(
                ABSENT,
                record.requestId(),
                run().cell(record.requestId()),
                record.atNs(),
                ABSENT,
                record.promptTokens(),
                record.maxTokens(),
                ABSENT,
                record.priority(),
                record.tenant(),
                ABSENT,
                ABSENT,
                null),
            record.reason(),
            record.message());
  }

  @Override
  public void onAdmitted(AdmittedRecord admitted) {
    final RequestTimeline request = run().find(admitted.requestNumber());
    if (request != null) {
      run().decide(admitted.stepId(), new Decision.Admit(request, admitted));
    }
  }

  @Override
  public void onBlocked(BlockedRecord blocked) {
    final RequestTimeline request = run().find(blocked.requestNumber());
    if (request != null) {
      final RequestIdentity blocker = run().identityOf(blocked.blockerNumber());
      run()
          .decide(
              blocked.stepId(),
              new Decision.Block(
                  request,
                  reasons.of(blocked.reason()),
                  blocker,
                  blocked.needed(),
                  blocked.free()));
    }
  }

  @Override
  public void onUnblocked(UnblockedRecord unblocked) {
    final RequestTimeline request = run().find(unblocked.requestNumber());
    if (request != null) {
      run().decide(unblocked.stepId(), new Decision.Unblock(request));
    }
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedRecord closed) {
    final RequestIdentity blocker = run().identityOf(closed.blockerNumber());
    run().decide(closed.stepId(), new Decision.Close(reasons.of(closed.reason()), blocker));
  }

  @Override
  public void onPreempted(PreemptedRecord preempted) {
    final RequestTimeline request = run().find(preempted.requestNumber());
    if (request != null) {
      final RequestIdentity beneficiary = run().identityOf(preempted.beneficiaryNumber());
      run()
          .decide(
              preempted.stepId(),
              new Decision.Preempt(
                  request,
                  preempted.cause(),
                  beneficiary,
                  preempted.lostTokens(),
                  preempted.freedBlocks()));
    }
  }

  @Override
  public void onCacheReset(CacheResetRecord reset) {
    run().cacheReset(reset.scope(), reset.atNs());
  }

  @Override
  public void onPlanned(PlannedStep step) {
    run().planned(step);
  }

  @Override
  public void onFirstToken(FirstTokenRecord record) {
    run().firstToken(record.stepId(), record.requestNumber(), record.atNs());
  }

  @Override
  public void onFinished(FinishedRecord finished) {
    final RequestTimeline request = run().find(finished.requestNumber());
    if (request != null) {
      final Ending ending =
          new Ending(
              request,
              finished.stepId(),
              finished.reason(),
              finished.stopTokenId(),
              finished.cause(),
              finished.outputTokens(),
              finished.atNs());
      run().finished(ending, finished.freedBlocks());
    }
  }

  @Override
  public void onStepCompleted(CompletedStep step) {
    run().completed(step);
  }

  @Override
  public void onKvStored(KvStoredRecord stored) {
    run()
        .kvStored(
            stored.requestNumber(),
            stored.firstToken(),
            stored.count(),
            stored.contentHashes(),
            stored.hasParent(),
            stored.parent());
  }

  @Override
  public void onKvRemoved(KvRemovedRecord removed) {
    run().kvRemoved(removed.contentHash());
  }

  @Override
  public void onKvTransfer(KvTransferRecord moved) {
    run().kvMoved(moved);
  }

  @Override
  public void onScored(ScoredRecord record) {
    run().scored(record.requestNumber(), record.score());
  }

  @Override
  public void onJourney(JourneyRecord record) {
    run()
        .journey(
            record.requestId(), record.stage(), record.atNs(), record.reason(), record.error());
  }

  @Override
  public void onKvCleared() {
    run().kvCleared();
  }

  @Override
  public void onDropped(DroppedRecord record) {
    run().dropped(record.records());
  }

  @Override
  public void onRunEnded(RunEndedRecord end) {
    run().ended(end.atNs());
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
