package dev.headway.events.model;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.QueuedRecord;

/**
 * Tracks the requests of one run through their phases, as decisions take effect. Calls the run's
 * listener.
 */
final class RequestTracker implements DecisionStamper.Effect {

  private static final String INITIAL_WAITING = "initial_waiting";
  private static final String PREEMPTED = "preempted";
  private static final String EVICTED = "evicted";
  private static final String CACHE_RESET = "cache_reset";
  private static final String NEW = "new";
  private static final String RESUMED = "resumed";
  private static final String BLOCKS_REUSED = "blocks_reused";

  private final RunTimeline run;
  private final RunListener listener;
  private final StepChanges.Builder changes;
  private final PreemptedBlocks preemptedBlocks = new PreemptedBlocks();

  /** Creates a tracker that adds what happens until the next plan to {@code changes}. */
  RequestTracker(RunTimeline run, RunListener listener, StepChanges.Builder changes) {
    this.run = run;
    this.listener = listener;
    this.changes = changes;
  }

  /** A request enters the queue. */
  void queue(QueuedRecord queued, Ingress ingress) {
    final RequestTimeline request = new RequestTimeline(queued, ingress);
    run.waits().begin(request, INITIAL_WAITING, queued.queuedNs());
    listener.onQueued(request);
    run.queue(request);
  }

  /** A step was planned and its decisions have taken effect. */
  void planned(PlannedStep plan) {
    tellEvicted(plan);
    run.decided(plan);
    if (run.believesPlan()) {
      believe(plan);
    }
    run.waits().settle(plan.endNs());
  }

  /** The first token of a request is available. */
  void firstToken(RequestTimeline request, long nowNs) {
    request.firstToken(nowNs);
    if (request.phase() == Phase.PREFILL) {
      enter(request, Phase.DECODE, nowNs);
    }
  }

  /** A request ends, having the KV of this many tokens, or of more according to entries. */
  void end(RequestTimeline request, FinishedRecord finished, int computedTokens) {
    final long nowNs = finished.atNs();
    if (request.phase().isWaiting()) {
      run.waits().end(request, nowNs);
    }
    forgetBlocks(request);
    run.leave(request);
    request.computedUpTo(computedTokens);
    request.end(finished);
    enter(request, Phase.ENDED, nowNs);
  }

  /** No more records: requests still alive are unfinished. */
  void conclude() {
    final long lastNs = run.latestNs();
    for (RequestTimeline request : run.live()) {
      if (request.phase().isWaiting()) {
        run.waits().end(request, lastNs);
      }
      listener.onUnfinished(request, lastNs);
    }
  }

  @Override
  public void apply(Decision decision, long atNs, long stepId) {
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
        if (blocked.record().atNs() != ABSENT && blocked.request().phase().isRunning()) {
          endTurn(blocked.request(), blocked.record().reason(), atNs);
        } else if (blocked.record().atNs() != ABSENT) {
          run.waits().now(blocked.request(), blocked.record().reason(), atNs);
        }
      }
      case Decision.Unblocked unblocked -> {
        unblocked.request().block(null, null);
        run.waits().touch(unblocked.request());
        if (unblocked.record().atNs() != ABSENT) {
          beginTurn(unblocked);
          run.waits().now(unblocked.request(), INITIAL_WAITING, atNs);
        }
      }
      case Decision.AdmissionsClosed closed -> run.shareReason(closed.record(), closed.blocker());
      case Decision.KvStored stored -> {
        if (stored.request() != null && stored.record().group() == 0) {
          stored.request().stored(stored.record().contentHashes(), stored.record().count());
        }
      }
      case Decision.KvRemoved removed -> {
        changes.removedBlock();
        if (removed.record().group() == 0) {
          preemptedBlocks.removed(removed.record().contentHash());
        }
      }
      case Decision.Scored ignored -> {}
      case Decision.KvCleared ignored -> preemptedBlocks.cleared();
    }
    listener.onDecision(decision, atNs, stepId);
  }

  /** A session leaves the batch, keeps its blocks, and waits for input. */
  private void endTurn(RequestTimeline request, String reason, long nowNs) {
    run.leave(request);
    request.waitsForInput();
    run.waits().begin(request, reason, nowNs);
    enter(request, Phase.WAITING, nowNs);
  }

  private void beginTurn(Decision.Unblocked unblocked) {
    final RequestTimeline request = unblocked.request();
    final long prompt = unblocked.record().promptTokens();
    if (request.inputWaits() > 0 && prompt != ABSENT) {
      run.beginTurn(request, (int) prompt, unblocked.record().stepId());
    }
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
    if (request.inputWaits() > 0 && admitted.kind().equals(NEW)) {
      request.admittedAgain(admitted);
      changes.admittedAgain(request);
    } else {
      request.admitted(nowNs, admitted, run.header().blockSize());
      changes.admitted(request, admitted.cachedTokens());
    }
    enter(request, again ? Phase.RECOMPUTE : Phase.PREFILL, nowNs);
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
    if (request.phase().isWaiting()) { // a session, or one that was loaded
      run.leave(request);
      request.gaveBack(preempted.record().lostTokens());
      run.join(request);
      changes.preempted(request);
      listener.onDecision(preempted, nowNs, stepId);
      listener.onPreempted(preempted, nowNs);
      return;
    }
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
    changes.preempted(request);
    listener.onDecision(preempted, nowNs, stepId);
    listener.onPreempted(preempted, nowNs);
    if (reset) {
      evict(request, CACHE_RESET, preempted.record().lostTokens(), nowNs, stepId);
    }
  }

  private void evict(RequestTimeline request, String cause, int tokens, long nowNs, long stepId) {
    if (request.evict()) {
      changes.evictedRequest();
      listener.onEvicted(request, cause, tokens, nowNs, stepId);
    }
  }

  /** A token was produced: the recomputation after a preemption is complete. */
  void resumeDecoding(RequestTimeline request, long nowNs) {
    if (request.phase() == Phase.RECOMPUTE
        || (request.phase() == Phase.PREFILL && request.inputWaits() > 0)) {
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
}
