package dev.headway.probes.csv.track;

import dev.headway.probes.chronicle.record.JournalVisitor.CompletedStep;
import dev.headway.probes.chronicle.record.JournalVisitor.FinishedRequest;
import dev.headway.probes.chronicle.record.JournalVisitor.PlannedStep;
import dev.headway.probes.chronicle.record.JournalVisitor.QueuedRequest;
import dev.headway.probes.csv.table.Table;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of one run. Decisions wait here for the end of their step's scheduling, when they take
 * effect; endings for the tokens of their last step.
 */
final class RunState {

  private static final String CACHE_RESET = "cache_reset";

  private final TrackListener listener;
  private final Causes causes;
  private final WaitBook waits;
  private final Map<Long, TrackedRequest> live = new HashMap<>();
  private final List<Decision> decisions = new ArrayList<>();
  private final Deque<Ending> endings = new ArrayDeque<>();
  private final StepBook steps;
  private int admittedSincePlan;
  private int preemptedSincePlan;
  private long latestNs;
  private boolean endedCleanly;

  RunState(TrackListener listener, Causes causes) {
    this.listener = listener;
    this.causes = causes;
    this.waits = new WaitBook(listener, causes);
    this.steps = new StepBook(listener);
  }

  /** What a step decided before its instant is known. */
  sealed interface Decision {}

  /** A request gets a seat. */
  record Admit(TrackedRequest request, int cachedTokens) implements Decision {}

  /** A request is put back. */
  record Preempt(Preemption preemption) implements Decision {}

  /** A request has a reason of its own, or with null no longer. */
  record Block(TrackedRequest request, @Nullable String reason, @Nullable TrackedRequest blocker)
      implements Decision {}

  /** The shared reason changed. */
  record Close(String reason, @Nullable TrackedRequest blocker) implements Decision {}

  /** A request that ended, and the step that must be complete before its tokens are known. */
  record Ending(TrackedRequest request, long stepId) {}

  @Nullable TrackedRequest get(long number) {
    return number < 0 ? null : live.get(number);
  }

  Collection<TrackedRequest> live() {
    return live.values();
  }

  void at(long nowNs) {
    latestNs = nowNs;
  }

  void queued(QueuedRequest queued) {
    at(queued.queuedNs());
    final TrackedRequest request = new TrackedRequest(queued);
    if (live.putIfAbsent(request.number(), request) == null) {
      waits.begin(request, causes.initialWaiting, request.queuedNs());
      listener.queued(request);
    }
  }

  void decide(long stepId, Decision decision) {
    if (stepId > steps.latestPlanned()) {
      decisions.add(decision);
    } else {
      apply(decision, latestNs);
    }
  }

  void planned(PlannedStep plan) {
    at(plan.endNs());
    for (Decision decision : decisions) {
      apply(decision, plan.endNs());
    }
    decisions.clear();
    waits.settle(plan.endNs());
    steps.planned(plan, admittedSincePlan, preemptedSincePlan, this::get);
    admittedSincePlan = 0;
    preemptedSincePlan = 0;
  }

  void firstToken(TrackedRequest request, long nowNs) {
    at(nowNs);
    request.firstToken(nowNs);
    if (request.phase() == Phase.PREFILL) {
      enter(request, Phase.DECODE, nowNs);
    }
  }

  void finished(TrackedRequest request, FinishedRequest finished) {
    final long nowNs = finished.nowNs();
    at(nowNs);
    applyDecisionsOn(request, nowNs);
    if (request.phase().isWaiting()) {
      listener.stayed(waits.end(request, nowNs));
    }
    request.end(nowNs, finished.reason());
    enter(request, Phase.ENDED, nowNs);
    live.remove(request.number());
    endings.add(new Ending(request, finished.stepId()));
    tellEndings();
  }

  void completed(CompletedStep step) {
    at(step.endNs());
    steps.completed(step, this::resumeDecoding);
    tellEndings();
  }

  void ended(long nowNs) {
    at(nowNs);
    endedCleanly = true;
  }

  /** No more records. */
  void conclude() {
    decisions.clear(); // their plan is missing, so they have no instant
    steps.conclude();
    while (!endings.isEmpty()) {
      listener.ended(endings.removeFirst().request());
    }
    final List<TrackedRequest> left = new ArrayList<>(live.values());
    left.sort((a, b) -> Long.compare(a.number(), b.number()));
    for (TrackedRequest request : left) {
      if (request.phase().isWaiting()) {
        listener.stayed(waits.end(request, latestNs));
      }
      listener.unfinished(request, latestNs);
    }
    listener.runConcluded(latestNs, endedCleanly);
  }

  private void apply(Decision decision, long nowNs) {
    switch (decision) {
      case Admit admit -> admit(admit.request(), admit.cachedTokens(), nowNs);
      case Preempt preempt -> preempt(preempt.preemption(), nowNs);
      case Block block -> {
        block.request().block(block.reason(), block.blocker());
        waits.touch(block.request());
      }
      case Close close -> waits.close(close.reason(), close.blocker());
    }
  }

  private void admit(TrackedRequest request, int cachedTokens, long nowNs) {
    if (!request.phase().isWaiting()) {
      return;
    }
    listener.stayed(waits.end(request, nowNs));
    final boolean resumed = request.phase() == Phase.PREEMPTED;
    request.admitted(nowNs, cachedTokens);
    final boolean hasTokens = request.firstTokenNs() != Table.ABSENT;
    enter(request, resumed && hasTokens ? Phase.RECOMPUTE : Phase.PREFILL, nowNs);
    admittedSincePlan++;
    listener.admitted(request, cachedTokens, nowNs);
  }

  private void preempt(Preemption preemption, long nowNs) {
    final TrackedRequest request = preemption.victim();
    if (!request.phase().isRunning()) {
      return;
    }
    final boolean reset = preemption.cause().equals(CACHE_RESET);
    final Cause cause = reset ? causes.evicted : causes.preempted;
    request.preempted();
    request.block(cause.reason(), null);
    waits.begin(request, cause, nowNs);
    enter(request, Phase.PREEMPTED, nowNs);
    preemptedSincePlan++;
    listener.preempted(preemption, nowNs);
  }

  private void resumeDecoding(TrackedRequest request, long nowNs) {
    if (request.phase() == Phase.RECOMPUTE) {
      enter(request, Phase.DECODE, nowNs);
    }
  }

  private void enter(TrackedRequest request, Phase next, long nowNs) {
    final Phase left = request.phase();
    final long sinceNs = request.phaseSinceNs();
    request.enter(next, nowNs);
    listener.phaseChanged(request, left, sinceNs, nowNs);
  }

  /** A request that ends inside scheduling takes its decisions with it. */
  private void applyDecisionsOn(TrackedRequest request, long nowNs) {
    if (decisions.isEmpty()) {
      return;
    }
    for (Decision decision : List.copyOf(decisions)) {
      if (concerns(decision, request)) {
        apply(decision, nowNs);
        decisions.remove(decision);
      }
    }
  }

  private static boolean concerns(Decision decision, TrackedRequest request) {
    return switch (decision) {
      case Admit admit -> admit.request() == request;
      case Preempt preempt -> preempt.preemption().victim() == request;
      case Block block -> block.request() == request;
      case Close close -> false;
    };
  }

  private void tellEndings() {
    Ending first = endings.peekFirst();
    while (first != null && steps.isSettled(first.stepId())) {
      listener.ended(endings.removeFirst().request());
      first = endings.peekFirst();
    }
  }
}
