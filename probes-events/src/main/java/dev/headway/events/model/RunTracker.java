package dev.headway.events.model;

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
import dev.headway.events.record.ScoredRecord;
import dev.headway.events.record.UnblockedRecord;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the requests of one run through their phases: stamp, then account. Decisions are held in
 * the {@link DecisionStamper} until they take effect, ends are held here until the tokens of the
 * last step are known.
 */
final class RunTracker implements RecordVisitor {

  private static final String INITIAL_WAITING = "initial_waiting";
  private static final String PREEMPTED = "preempted";
  private static final String EVICTED = "evicted";
  private static final String CACHE_RESET = "cache_reset";
  private static final String NEW = "new";
  private static final String RESUMED = "resumed";
  private static final String BLOCKS_REUSED = "blocks_reused";

  private final RunTimeline run;
  private final RunListener listener;
  private final DecisionStamper decisions;
  private final StepTracker steps;
  private final PreemptedBlocks preemptedBlocks = new PreemptedBlocks();
  private final Deque<Ending> endings = new ArrayDeque<>();
  private boolean endedCleanly;

  RunTracker(RunTimeline run, RunListener listener) {
    this.run = run;
    this.listener = listener;
    this.decisions = new DecisionStamper(run, this::apply);
    this.steps = new StepTracker(run, listener, this::resumeDecoding);
    run.onUnknown(listener::onUnknownRequest);
  }

  /** A request that ended, and the step that must be complete before its tokens are known. */
  private record Ending(RequestTimeline request, long stepId) {}

  @Override
  public void onQueued(QueuedRecord queued) {
    decisions.seen(queued.queuedNs());
    if (queued.requestNumber() < 0 || run.find(queued.requestNumber()) != null) {
      run.countInconsistent();
      return;
    }
    final Ingress ingress =
        queued.queuedNs() > queued.arrivalNs()
            ? steps.ingressSince(queued.arrivalNs())
            : Ingress.NONE;
    final RequestTimeline request = new RequestTimeline(queued, ingress);
    run.waits().begin(request, INITIAL_WAITING, queued.queuedNs());
    listener.onQueued(request);
    run.queue(request);
  }

  @Override
  public void onRejected(RejectedRecord rejected) {
    decisions.seen(rejected.atNs());
    listener.onRejected(rejected);
  }

  @Override
  public void onAdmitted(AdmittedRecord admitted) {
    final RequestTimeline request = findOrCount(admitted.requestNumber());
    if (request != null) {
      decisions.decide(admitted.stepId(), new Decision.Admitted(request, admitted));
    }
  }

  @Override
  public void onBlocked(BlockedRecord blocked) {
    final RequestTimeline request = findOrCount(blocked.requestNumber());
    if (request != null) {
      decisions.decide(
          blocked.stepId(),
          new Decision.Blocked(request, blocked, run.find(blocked.blockerNumber())));
    }
  }

  @Override
  public void onUnblocked(UnblockedRecord unblocked) {
    final RequestTimeline request = findOrCount(unblocked.requestNumber());
    if (request != null) {
      decisions.decide(unblocked.stepId(), new Decision.Unblocked(request));
    }
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedRecord closed) {
    decisions.decide(
        closed.stepId(), new Decision.AdmissionsClosed(closed, run.find(closed.blockerNumber())));
  }

  @Override
  public void onPreempted(PreemptedRecord preempted) {
    final RequestTimeline request = findOrCount(preempted.requestNumber());
    if (request != null) {
      decisions.decide(
          preempted.stepId(),
          new Decision.Preempted(request, preempted, run.find(preempted.beneficiaryNumber())));
    }
  }

  @Override
  public void onScored(ScoredRecord scored) {
    final RequestTimeline request = findOrCount(scored.requestNumber());
    if (request != null) {
      decisions.note(new Decision.Scored(request, scored));
    }
  }

  @Override
  public void onKvStored(KvStoredRecord stored) {
    decisions.note(new Decision.KvStored(run.find(stored.requestNumber()), stored));
  }

  @Override
  public void onKvRemoved(KvRemovedRecord removed) {
    decisions.note(new Decision.KvRemoved(removed));
  }

  @Override
  public void onKvCleared() {
    decisions.now(new Decision.KvCleared());
  }

  @Override
  public void onKvTransfer(KvTransferRecord transfer) {
    decisions.seen(transfer.atNs());
    steps.transfers(transfer);
    listener.onKvTransfer(transfer, run.find(transfer.requestNumber()));
  }

  @Override
  public void onCacheReset(CacheResetRecord reset) {
    decisions.happened(reset.atNs());
    listener.onCacheReset(reset);
  }

  @Override
  public void onJourney(JourneyRecord journey) {
    listener.onJourney(journey);
  }

  @Override
  public void onPlanned(PlannedStep plan) {
    decisions.planned(plan.stepId(), plan.endNs());
    tellEvicted(plan);
    run.decided(plan);
    if (run.believesPlan()) {
      believe(plan);
    }
    run.waits().settle(plan.endNs());
    steps.planned(plan);
  }

  @Override
  public void onFirstToken(FirstTokenRecord firstToken) {
    decisions.happened(firstToken.atNs());
    final RequestTimeline request = findOrCount(firstToken.requestNumber());
    if (request == null) {
      return;
    }
    request.firstToken(firstToken.atNs());
    if (request.phase() == Phase.PREFILL) {
      enter(request, Phase.DECODE, firstToken.atNs());
    }
    listener.onFirstToken(request, firstToken);
  }

  @Override
  public void onFinished(FinishedRecord finished) {
    onFinished(finished, 0); // the entries of its steps have its computed tokens
  }

  /** As above; it has the KV of this many tokens, or of more according to entries. */
  void onFinished(FinishedRecord finished, int computedTokens) {
    final RequestTimeline request = findOrCount(finished.requestNumber());
    if (request == null) {
      return;
    }
    final long nowNs = finished.atNs();
    decisions.happened(nowNs);
    decisions.ended(request, nowNs, finished.stepId());
    if (request.phase().isWaiting()) {
      run.waits().end(request, nowNs);
    }
    forgetBlocks(request);
    run.leave(request);
    request.computedUpTo(computedTokens);
    request.end(finished);
    enter(request, Phase.ENDED, nowNs);
    steps.finishedOne();
    listener.onFinished(request, finished);
    endings.add(new Ending(request, finished.stepId()));
    settleEndings();
  }

  @Override
  public void onStepCompleted(CompletedStep step) {
    decisions.happened(step.endNs());
    steps.completed(step);
    settleEndings();
  }

  @Override
  public void onDropped(DroppedRecord dropped) {
    run.dropped(dropped.records(), run.latestNs());
    endings.forEach(ending -> ending.request().missesOutputs());
    listener.onDropped(dropped.records());
  }

  @Override
  public void onRunEnded(RunEndedRecord end) {
    decisions.happened(end.atNs());
    endedCleanly = true;
    listener.onRunEnded(end.atNs());
  }

  /** No more records: decisions whose plan is missing have no instant and never take effect. */
  void conclude() {
    decisions.clear();
    for (Ending ending : endings) {
      if (!isSettled(ending)) {
        ending.request().missesOutputs();
      }
    }
    steps.conclude();
    while (!endings.isEmpty()) {
      listener.onSettled(endings.removeFirst().request());
    }
    final long lastNs = run.latestNs();
    for (RequestTimeline request : run.live()) {
      if (request.phase().isWaiting()) {
        run.waits().end(request, lastNs);
      }
      listener.onUnfinished(request, lastNs);
    }
    listener.onRunConcluded(lastNs, endedCleanly);
  }

  private void apply(Decision decision, long atNs, long stepId) {
    switch (decision) {
      case Decision.Admitted admitted -> {
        admit(admitted, atNs, stepId);
        return;
      }
      case Decision.Preempted preempted -> {
        preempt(preempted, atNs, stepId);
        return;
      }
      case Decision.Blocked blocked -> {
        blocked.request().refuse(blocked.record(), blocked.blocker());
        run.waits().touch(blocked.request());
      }
      case Decision.Unblocked unblocked -> {
        unblocked.request().block(null, null);
        run.waits().touch(unblocked.request());
      }
      case Decision.AdmissionsClosed closed -> run.shareReason(closed.record(), closed.blocker());
      case Decision.KvStored stored -> {
        if (stored.request() != null && stored.record().group() == 0) {
          stored.request().stored(stored.record().contentHashes(), stored.record().count());
        }
      }
      case Decision.KvRemoved removed -> {
        steps.changes().removedBlock();
        if (removed.record().group() == 0) {
          preemptedBlocks.removed(removed.record().contentHash());
        }
      }
      case Decision.Scored ignored -> {}
      case Decision.KvCleared ignored -> preemptedBlocks.cleared();
    }
    listener.onDecision(decision, atNs, stepId);
  }

  private void admit(Decision.Admitted admitted, long nowNs, long stepId) {
    final RequestTimeline request = admitted.request();
    if (!request.phase().isWaiting()) {
      run.countInconsistent(request);
      return;
    }
    seat(request, admitted.record(), nowNs);
    listener.onDecision(admitted, nowNs, stepId);
    listener.onAdmitted(request, admitted.record().cachedTokens(), nowNs);
    if (admitted.record().evictedTokens() > 0) {
      evict(request, BLOCKS_REUSED, admitted.record().evictedTokens(), nowNs, stepId);
    }
  }

  /** Requests whose cached blocks the decisions of a plan have given to others. */
  private void tellEvicted(PlannedStep plan) {
    for (RequestTimeline request : preemptedBlocks.takeLosers()) {
      final int tokens = request.evictedBlocks() * run.header().blockSize();
      evict(request, BLOCKS_REUSED, tokens, plan.endNs(), plan.stepId());
    }
  }

  private void seat(RequestTimeline request, AdmittedRecord admitted, long nowNs) {
    run.waits().end(request, nowNs);
    final boolean again = request.phase() == Phase.PREEMPTED && request.hasFirstToken();
    forgetBlocks(request);
    run.leave(request);
    request.admitted(nowNs, admitted, run.header().blockSize());
    enter(request, again ? Phase.RECOMPUTE : Phase.PREFILL, nowNs);
    steps.changes().admitted(request, admitted.cachedTokens());
  }

  /** Derives from a plan what dropped records would have contained. */
  private void believe(PlannedStep plan) {
    if (plan.runningCount() + plan.waitingCount() == 0) {
      for (RequestTimeline request : run.live()) {
        abandon(request, plan.endNs());
      }
      return;
    }
    final int entries = plan.hasEntries() ? plan.batchSize() : 0;
    for (int entry = 0; entry < entries; entry++) {
      final RequestTimeline request = run.find(plan.number(entry));
      if (request != null && request.phase().isWaiting()) {
        final int computed = plan.computedTokens(entry);
        final String kind = request.firstScheduledNs() == ABSENT ? NEW : RESUMED;
        seat(
            request,
            new AdmittedRecord(plan.stepId(), request.number(), kind, computed, 0, 0),
            plan.endNs());
        listener.onAdmitted(request, computed, plan.endNs());
      }
    }
  }

  private void abandon(RequestTimeline request, long nowNs) {
    if (request.phase().isWaiting()) {
      run.waits().end(request, nowNs);
    }
    forgetBlocks(request);
    run.leave(request);
    enter(request, Phase.ENDED, nowNs);
    listener.onUnfinished(request, nowNs);
  }

  private void forgetBlocks(RequestTimeline request) {
    if (request.phase() == Phase.PREEMPTED) {
      preemptedBlocks.left(request);
    }
  }

  private void preempt(Decision.Preempted preempted, long nowNs, long stepId) {
    final RequestTimeline request = preempted.request();
    if (!request.phase().isRunning()) {
      run.countInconsistent(request);
      return;
    }
    final boolean reset = preempted.record().cause().equals(CACHE_RESET);
    final String reason = reset ? EVICTED : PREEMPTED;
    run.leave(request);
    request.preempted(reason, preempted.record().lostTokens());
    run.waits().begin(request, reason, nowNs);
    enter(request, Phase.PREEMPTED, nowNs);
    if (!reset) {
      preemptedBlocks.preempted(request);
    }
    steps.changes().preempted(request);
    listener.onDecision(preempted, nowNs, stepId);
    listener.onPreempted(preempted, nowNs);
    if (reset) {
      evict(request, CACHE_RESET, preempted.record().lostTokens(), nowNs, stepId);
    }
  }

  private void evict(RequestTimeline request, String cause, int tokens, long nowNs, long stepId) {
    if (request.evict()) {
      steps.changes().evictedRequest();
      listener.onEvicted(request, cause, tokens, nowNs, stepId);
    }
  }

  /** A token was produced: the recomputation after a preemption is complete. */
  private void resumeDecoding(RequestTimeline request, long nowNs) {
    if (request.phase() == Phase.RECOMPUTE) {
      enter(request, Phase.DECODE, nowNs);
    }
  }

  private void enter(RequestTimeline request, Phase next, long nowNs) {
    final Phase left = request.phase();
    final long sinceNs = request.phaseSinceNs();
    request.enter(next, nowNs);
    run.move(request, left, next);
    listener.onPhaseChanged(request, left, sinceNs, nowNs);
  }

  private void settleEndings() {
    Ending first = endings.peekFirst();
    while (first != null && isSettled(first)) {
      listener.onSettled(endings.removeFirst().request());
      first = endings.peekFirst();
    }
  }

  private boolean isSettled(Ending ending) {
    return ending.stepId() <= decisions.latestStep() && steps.isSettled(ending.stepId());
  }

  private @Nullable RequestTimeline findOrCount(long number) {
    final RequestTimeline request = run.find(number);
    if (request == null) {
      run.countUnknown();
    }
    return request;
  }
}
