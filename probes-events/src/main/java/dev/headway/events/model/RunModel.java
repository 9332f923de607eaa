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
import dev.headway.events.record.LimitsChangedRecord;
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
  private @Nullable OpenRun current;
  private int runs;
  private long droppedRecords;

  /** Creates a model that notifies {@code listener} and closes it on {@link #close}. */
  public RunModel(RunListener listener) {
    this.listener = listener;
  }

  /** A run whose records come: first stamp, then account. */
  private record OpenRun(
      RunTimeline timeline,
      RunListener listener,
      DecisionStamper decisions,
      RequestTracker requests,
      StepTracker steps) {

    static OpenRun of(RunTimeline timeline, RunListener listener) {
      final StepChanges.Builder changes = new StepChanges.Builder();
      final RequestTracker requests = new RequestTracker(timeline, listener, changes);
      timeline.onUnknown(listener::onUnknownRequest);
      return new OpenRun(
          timeline,
          listener,
          new DecisionStamper(timeline, requests),
          requests,
          new StepTracker(timeline, listener, changes, requests::resumeDecoding));
    }

    @Nullable RequestTimeline find(long number) {
      return timeline.find(number);
    }

    @Nullable RequestTimeline findOrCount(long number) {
      final RequestTimeline request = find(number);
      if (request == null) {
        timeline.countUnknown();
      }
      return request;
    }
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
    current = OpenRun.of(run, ofRun);
  }

  @Override
  public void onQueued(QueuedRecord queued) {
    final OpenRun run = run();
    run.decisions.seen(queued.queuedNs());
    if (queued.requestNumber() < 0 || run.find(queued.requestNumber()) != null) {
      run.timeline.countInconsistent();
      return;
    }
    final boolean onTheWay = queued.queuedNs() > queued.arrivalNs();
    run.requests.queue(
        queued, onTheWay ? run.steps.ingressSince(queued.arrivalNs()) : Ingress.NONE);
  }

  @Override
  public void onRejected(RejectedRecord rejected) {
    final OpenRun run = run();
    run.decisions.seen(rejected.atNs());
    run.listener.onRejected(rejected);
  }

  @Override
  public void onAdmitted(AdmittedRecord admitted) {
    final OpenRun run = run();
    final RequestTimeline request = run.findOrCount(admitted.requestNumber());
    if (request != null) {
      run.decisions.decide(admitted.stepId(), new Decision.Admitted(request, admitted));
    }
  }

  @Override
  public void onBlocked(BlockedRecord blocked) {
    final OpenRun run = run();
    final RequestTimeline request = run.findOrCount(blocked.requestNumber());
    if (request != null) {
      final RequestTimeline blocker = run.find(blocked.blockerNumber());
      run.decisions.happenedIfKnown(blocked.atNs());
      run.decisions.decide(blocked.stepId(), new Decision.Blocked(request, blocked, blocker));
    }
  }

  @Override
  public void onUnblocked(UnblockedRecord unblocked) {
    final OpenRun run = run();
    final RequestTimeline request = run.findOrCount(unblocked.requestNumber());
    if (request != null) {
      run.decisions.happenedIfKnown(unblocked.atNs());
      run.decisions.decide(unblocked.stepId(), new Decision.Unblocked(request, unblocked));
    }
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedRecord closed) {
    final OpenRun run = run();
    final RequestTimeline blocker = run.find(closed.blockerNumber());
    run.decisions.decide(closed.stepId(), new Decision.AdmissionsClosed(closed, blocker));
  }

  @Override
  public void onPreempted(PreemptedRecord preempted) {
    final OpenRun run = run();
    final RequestTimeline request = run.findOrCount(preempted.requestNumber());
    if (request != null) {
      final RequestTimeline beneficiary = run.find(preempted.beneficiaryNumber());
      run.decisions.decide(
          preempted.stepId(), new Decision.Preempted(request, preempted, beneficiary));
    }
  }

  @Override
  public void onScored(ScoredRecord scored) {
    final OpenRun run = run();
    final RequestTimeline request = run.findOrCount(scored.requestNumber());
    if (request != null) {
      run.decisions.note(new Decision.Scored(request, scored));
    }
  }

  @Override
  public void onKvStored(KvStoredRecord stored) {
    final OpenRun run = run();
    run.decisions.note(new Decision.KvStored(run.find(stored.requestNumber()), stored));
  }

  @Override
  public void onKvRemoved(KvRemovedRecord removed) {
    run().decisions.note(new Decision.KvRemoved(removed));
  }

  @Override
  public void onKvCleared() {
    run().decisions.now(new Decision.KvCleared());
  }

  @Override
  public void onKvTransfer(KvTransferRecord transfer) {
    final OpenRun run = run();
    run.decisions.seen(transfer.atNs());
    run.steps.transfers(transfer);
    run.listener.onKvTransfer(transfer, run.find(transfer.requestNumber()));
  }

  @Override
  public void onCacheReset(CacheResetRecord reset) {
    final OpenRun run = run();
    run.decisions.happened(reset.atNs());
    run.listener.onCacheReset(reset);
  }

  @Override
  public void onLimitsChanged(LimitsChangedRecord changed) {
    final OpenRun run = run();
    run.decisions.happened(changed.atNs());
    run.timeline.limitsChanged(changed);
    run.listener.onLimitsChanged(changed);
  }

  @Override
  public void onJourney(JourneyRecord journey) {
    run().listener.onJourney(journey);
  }

  @Override
  public void onPlanned(PlannedStep plan) {
    final OpenRun run = run();
    run.decisions.planned(plan.stepId(), plan.endNs());
    run.requests.planned(plan);
    run.steps.planned(plan);
  }

  @Override
  public void onFirstToken(FirstTokenRecord firstToken) {
    final OpenRun run = run();
    run.decisions.happened(firstToken.atNs());
    final RequestTimeline request = run.findOrCount(firstToken.requestNumber());
    if (request != null) {
      run.requests.firstToken(request, firstToken.atNs());
      run.listener.onFirstToken(request, firstToken);
    }
  }

  @Override
  public void onFinished(FinishedRecord finished) {
    onFinished(finished, 0); // the entries of its steps have its computed tokens
  }

  /**
   * As {@link #onFinished(FinishedRecord)}, from a source whose steps have no entries.
   *
   * @param computedTokens tokens of the request that have been computed since it was last admitted,
   *     those found in the prefix cache included
   */
  public void onFinished(FinishedRecord finished, int computedTokens) {
    final OpenRun run = run();
    final RequestTimeline request = run.findOrCount(finished.requestNumber());
    if (request != null) {
      run.decisions.happened(finished.atNs());
      run.decisions.ended(request, finished.atNs(), finished.stepId());
      run.requests.end(request, finished, computedTokens);
      run.steps.ended(request, finished);
    }
  }

  @Override
  public void onStepCompleted(CompletedStep step) {
    final OpenRun run = run();
    run.decisions.happened(step.endNs());
    run.steps.completed(step);
  }

  @Override
  public void onDropped(DroppedRecord dropped) {
    droppedRecords += dropped.records();
    final OpenRun run = run();
    run.timeline.dropped(dropped.records());
    run.steps.dropped();
    run.listener.onDropped(dropped.records());
  }

  @Override
  public void onRunEnded(RunEndedRecord end) {
    final OpenRun run = run();
    run.decisions.happened(end.atNs());
    run.timeline.endCleanly();
    run.listener.onRunEnded(end.atNs());
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
   * Decisions whose plan is missing have no instant and never take effect.
   */
  protected final void concludeRun() {
    final OpenRun last = current;
    current = null;
    if (last != null) {
      last.decisions.clear();
      last.steps.conclude();
      last.requests.conclude();
      last.listener.onRunConcluded(last.timeline.latestNs(), last.timeline.endedCleanly());
    }
  }

  private OpenRun run() {
    if (current == null) {
      throw new IllegalStateException("records must follow a start record: runs=" + runs);
    }
    return current;
  }
}
