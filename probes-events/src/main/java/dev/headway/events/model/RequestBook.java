package dev.headway.events.model;

import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.QueuedRecord;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Leads the requests of one run through their phases. Decisions wait in the {@link DecisionQueue}
 * for the end of their step's scheduling, endings here for the tokens of their last step.
 */
final class RequestBook {

  private static final String INITIAL_WAITING = "initial_waiting";
  private static final String PREEMPTED = "preempted";
  private static final String EVICTED = "evicted";
  private static final String CACHE_RESET = "cache_reset";

  private final ObservedRun run;
  private final RunListener listener;
  private final DecisionQueue decisions = new DecisionQueue();
  private final StepBook steps;
  private final Deque<Ending> endings = new ArrayDeque<>();
  private boolean endedCleanly;

  RequestBook(ObservedRun run, RunListener listener) {
    this.run = run;
    this.listener = listener;
    this.steps = new StepBook(run, listener, this::resumeDecoding);
  }

  /** A request that ended, and the step that must be complete before its tokens are known. */
  private record Ending(ObservedRequest request, long stepId) {}

  /** An instant was heard of. */
  void at(long nowNs) {
    decisions.at(nowNs);
  }

  void queued(QueuedRecord queued) {
    at(queued.queuedNs());
    if (queued.requestNumber() >= 0 && run.find(queued.requestNumber()) == null) {
      final ObservedRequest request = new ObservedRequest(queued);
      run.waits().begin(request, INITIAL_WAITING, queued.queuedNs());
      listener.onQueued(request);
      run.queue(request);
    }
  }

  void admitted(long stepId, long number, int cachedTokens) {
    final ObservedRequest request = findOrCount(number);
    if (request != null) {
      decisions.decide(stepId, number, (atNs, step) -> admit(request, cachedTokens, atNs));
    }
  }

  /** A request has a reason of its own, or with null no longer. */
  void explained(long stepId, long number, @Nullable String reason, long blockerNumber) {
    final ObservedRequest request = findOrCount(number);
    if (request != null) {
      final ObservedRequest blocker = run.find(blockerNumber);
      decisions.decide(
          stepId,
          number,
          (atNs, step) -> {
            request.block(reason, blocker);
            run.waits().touch(request);
          });
    }
  }

  void admissionsClosed(long stepId, String reason, long blockerNumber) {
    final ObservedRequest blocker = run.find(blockerNumber);
    decisions.decide(stepId, -1, (atNs, step) -> run.shareReason(reason, blocker));
  }

  void preempted(
      long stepId, long number, String cause, long beneficiaryNumber, int lost, int freed) {
    final ObservedRequest request = findOrCount(number);
    if (request != null) {
      final ObservedRequest beneficiary = run.find(beneficiaryNumber);
      final Preemption preemption = new Preemption(request, cause, beneficiary, lost, freed);
      decisions.decide(stepId, number, (atNs, step) -> preempt(preemption, atNs));
    }
  }

  void removedBlock() {
    steps.changes().removedBlock();
  }

  void planned(PlannedStep plan) {
    decisions.planned(plan.stepId(), plan.endNs());
    run.decided(plan.endNs(), plan.freeBlocks());
    run.waits().settle(plan.endNs());
    steps.planned(plan);
  }

  void firstToken(long number, long nowNs) {
    final ObservedRequest request = findOrCount(number);
    if (request != null) {
      at(nowNs);
      request.firstToken(nowNs);
      if (request.phase() == Phase.PREFILL) {
        enter(request, Phase.DECODE, nowNs);
      }
    }
  }

  void finished(FinishedRecord finished) {
    final ObservedRequest request = findOrCount(finished.requestNumber());
    if (request == null) {
      return;
    }
    final long nowNs = finished.atNs();
    at(nowNs);
    decisions.ended(request.number(), nowNs);
    if (request.phase().isWaiting()) {
      run.waits().end(request, nowNs);
    }
    request.end(nowNs, finished.reason());
    enter(request, Phase.ENDED, nowNs);
    steps.finishedOne();
    listener.onFinished(request, finished);
    endings.add(new Ending(request, finished.stepId()));
    settleEndings();
  }

  void completed(CompletedStep step) {
    at(step.endNs());
    steps.completed(step);
    settleEndings();
  }

  /** The writer closed the run. */
  void ended(long nowNs) {
    at(nowNs);
    endedCleanly = true;
  }

  /** No more records: decisions whose plan is missing have no instant and never take effect. */
  void conclude() {
    steps.conclude();
    while (!endings.isEmpty()) {
      listener.onSettled(endings.removeFirst().request());
    }
    final long lastNs = decisions.latestNs();
    for (ObservedRequest request : run.live()) {
      if (request.phase().isWaiting()) {
        run.waits().end(request, lastNs);
      }
      listener.onUnfinished(request, lastNs);
    }
    listener.onRunConcluded(lastNs, endedCleanly);
  }

  private void admit(ObservedRequest request, int cachedTokens, long nowNs) {
    if (!request.phase().isWaiting()) {
      return;
    }
    run.waits().end(request, nowNs);
    final boolean again = request.phase() == Phase.PREEMPTED && request.hasFirstToken();
    request.admitted(nowNs, cachedTokens);
    enter(request, again ? Phase.RECOMPUTE : Phase.PREFILL, nowNs);
    steps.changes().admitted(request, cachedTokens);
    listener.onAdmitted(request, cachedTokens, nowNs);
  }

  private void preempt(Preemption preemption, long nowNs) {
    final ObservedRequest request = preemption.victim();
    if (!request.phase().isRunning()) {
      return;
    }
    final String reason = preemption.cause().equals(CACHE_RESET) ? EVICTED : PREEMPTED;
    request.preempted(reason, preemption.lostTokens());
    run.waits().begin(request, reason, nowNs);
    enter(request, Phase.PREEMPTED, nowNs);
    steps.changes().preempted(request);
    listener.onPreempted(preemption, nowNs);
  }

  /** A token came out: what a preemption took is computed again. */
  private void resumeDecoding(ObservedRequest request, long nowNs) {
    if (request.phase() == Phase.RECOMPUTE) {
      enter(request, Phase.DECODE, nowNs);
    }
  }

  private void enter(ObservedRequest request, Phase next, long nowNs) {
    final Phase left = request.phase();
    final long sinceNs = request.phaseSinceNs();
    request.enter(next, nowNs);
    run.move(request, left, next);
    listener.onPhaseChanged(request, left, sinceNs, nowNs);
  }

  private void settleEndings() {
    Ending first = endings.peekFirst();
    while (first != null
        && first.stepId() <= decisions.latestStep()
        && steps.isSettled(first.stepId())) {
      listener.onSettled(endings.removeFirst().request());
      first = endings.peekFirst();
    }
  }

  private @Nullable ObservedRequest findOrCount(long number) {
    final ObservedRequest request = run.find(number);
    if (request == null) {
      run.countUnknown();
    }
    return request;
  }
}
