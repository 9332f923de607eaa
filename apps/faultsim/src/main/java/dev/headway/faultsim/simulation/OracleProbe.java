package dev.headway.faultsim.simulation;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.kvcache.KvTransfer;
import dev.headway.api.probe.AdmissionsClosedEvent;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.CacheResetEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.FirstTokenEvent;
import dev.headway.api.probe.LimitsChangedEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.RejectedEvent;
import dev.headway.api.probe.ScoredEvent;
import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.probe.UnblockedEvent;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
import dev.headway.faultsim.simulation.Coverage.Stage;
import dev.headway.testkit.scheduler.Liveness;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Looks at every event: hands it to the checks, counts it, and digests it. */
final class OracleProbe implements Probe {

  private final World world;
  private final RuleBook rules;
  private final ModelExecutor executor;
  private final CheckedKvCache cache;
  private final Coverage coverage;
  private final EventDigest digest;
  private final Liveness liveness;
  private final boolean hasHoldingGate;
  private final WaitCheck waits;
  private final VictimCheck victims;
  private final PlanCheck plans;
  private final TransferCheck transfers;
  private final OutputCheck outputs;
  private int preemptedWaiting;
  private long resetNs;

  OracleProbe(
      World world,
      Drawn drawn,
      ModelExecutor executor,
      CheckedKvCache cache,
      Coverage coverage,
      EventDigest digest) {
    this.world = world;
    this.executor = executor;
    this.cache = cache;
    this.coverage = coverage;
    this.digest = digest;
    rules = world.rules();
    liveness = new Liveness(() -> "");
    hasHoldingGate = drawn.has(Feature.GATE_HOLDS);
    waits = new WaitCheck(rules);
    victims = new VictimCheck(rules, drawn.config().queuePolicy());
    plans = new PlanCheck(rules, drawn.config(), world.ledger());
    transfers = new TransferCheck(rules, drawn.config().kvOffload().hostBlocks());
    outputs = new OutputCheck(rules, world.ledger());
  }

  @Override
  public Set<ProbeInterest> interests() {
    return EnumSet.allOf(ProbeInterest.class);
  }

  /** Nothing is promised of the time before. */
  void disturbed() {
    liveness.disturbed();
  }

  private TrackedRequest of(RequestView view) {
    return world.ledger().byNumber(view.number());
  }

  @Override
  public void onQueued(QueuedEvent event) {
    final RequestView view = event.request();
    final TrackedRequest request = world.ledger().queued(view);
    digest.add(1, view.number(), event.atNs(), view.knownTokens());
    coverage.moved(request, Stage.QUEUED);
    request.queuedEvents++;
    waits.queued(request, event.atNs());
    liveness.added(view);
  }

  @Override
  public void onRejected(RejectedEvent event) {
    digest.add(2, event.reason().name().hashCode(), event.atNs(), event.request().promptTokens());
  }

  @Override
  public void onAdmitted(AdmittedEvent event) {
    final RequestView view = event.request();
    final TrackedRequest request = of(view);
    request.turn();
    digest.add(3, view.number(), event.cachedTokens(), event.evictedTokens());
    final boolean isNew = event.kind() == EntryKind.NEW;
    coverage.moved(request, isNew ? Stage.ADMITTED : Stage.RESUMED);
    coverage.cachedTokens += event.cachedTokens();
    coverage.hostTokens += event.hostCachedTokens();
    leavePreempted(request);
    waits.admitted(request);
    liveness.released(view);
    victims.admitted(view);
  }

  private void leavePreempted(TrackedRequest request) {
    preemptedWaiting -= request.isPreempted ? 1 : 0;
    request.isPreempted = false;
  }

  @Override
  public void onBlocked(BlockedEvent event) {
    final RequestView view = event.request();
    digest.add(4, view.number(), event.reason().name().hashCode(), event.needed());
    coverage.moved(of(view), Stage.BLOCKED);
    coverage.waited(event.reason());
    waits.blocked(of(view), event.reason());
    if (event.atNs() != ABSENT) {
      if (event.reason() == WaitReason.STREAMING_INPUT) {
        turnEnded(view, event.atNs());
      }
      waits.held(of(view), event.reason(), event.atNs());
      liveness.held(view);
    } else if (hasHoldingGate && event.reason() == WaitReason.POLICY_DEFERRED) {
      liveness.held(view);
    } else if (event.reason() != WaitReason.STREAMING_INPUT) { // a session that gives blocks back
      liveness.released(view);
    }
  }

  /** A session stops to run, if it ran; what is out of its turn is dropped. */
  private void turnEnded(RequestView view, long nowNs) {
    final TrackedRequest request = of(view);
    request.keepsBlocks = !request.isPreempted;
    outputs.evicted(request);
    victims.ended(view);
    waits.rested(request, nowNs);
  }

  @Override
  public void onUnblocked(UnblockedEvent event) {
    digest.add(5, event.request().number(), event.stepId(), 0);
    coverage.moved(of(event.request()), Stage.UNBLOCKED);
    waits.blocked(of(event.request()), null);
    if (event.atNs() != ABSENT) {
      waits.held(of(event.request()), WaitReason.INITIAL_WAITING, event.atNs());
      liveness.released(event.request());
    }
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedEvent event) {
    final RequestView blocker = event.blocker();
    digest.add(6, blocker == null ? 0 : blocker.number(), event.reason().name().hashCode(), 0);
    coverage.waited(event.reason());
    waits.closed(event.reason());
  }

  @Override
  public void onPreempted(PreemptedEvent event) {
    final RequestView view = event.request();
    final TrackedRequest request = of(view);
    digest.add(7, view.number(), event.lostTokens(), event.freedBlocks());
    coverage.moved(request, Stage.PREEMPTED);
    coverage.preempted(event.cause());
    preemptedWaiting += request.isPreempted ? 0 : 1; // a loaded one may lose its blocks again
    request.isPreempted = true;
    request.keepsBlocks = false;
    plans.preempted();
    victims.preempted(event, request);
    if (event.cause() == PreemptionCause.KV_LOAD_FAILED || world.sendsKv()) {
      outputs.evicted(request);
    }
    if (event.cause() == PreemptionCause.CACHE_RESET) {
      outputs.evicted(request);
    }
    if (request.wait.isQueued) {
      return; // it was loaded, and has lost that
    }
    if (event.cause() == PreemptionCause.CACHE_RESET) {
      waits.evicted(request, resetNs);
    } else {
      waits.preempted(request);
    }
  }

  @Override
  public void onCacheReset(CacheResetEvent event) {
    resetNs = event.atNs();
    digest.add(8, event.stepId(), event.atNs(), event.scope().name().hashCode());
    liveness.disturbed();
  }

  @Override
  public void onScored(ScoredEvent event) {
    digest.add(9, event.request().number(), Double.doubleToLongBits(event.score()), 0);
  }

  @Override
  public void onKvTransfer(KvTransfer transfer) {
    digest.add(10, transfer.stage().name().hashCode(), transfer.stepId(), 0);
  }

  @Override
  public void onLimitsChanged(LimitsChangedEvent event) {
    digest.add(14, event.newLimits().hashCode(), event.stepId(), event.atNs());
    if (event.newLimits().equals(event.oldLimits())) {
      rules.violate(Rule.LIMITS, "limits that changed must differ: " + event.newLimits());
    }
    plans.limit(event.newLimits());
  }

  @Override
  public void onPlanned(PlannedEvent event) {
    final StepPlan plan = event.plan();
    digest(event);
    waits.planned(event.endNs());
    plans.planned(event);
    transfers.planned(plan);
    outputs.planned(plan);
    noteFirstAdmissions(plan);
    checkCounts(event);
    if (executor.stepsOut() == 0) {
      cache.checkNothingHeldBack(plan.stepId());
    }
    try {
      liveness.planned(plan, !world.isPaused());
    } catch (AssertionError e) {
      rules.violate(Rule.PROGRESS, String.valueOf(e.getMessage()));
    }
  }

  private void noteFirstAdmissions(StepPlan plan) {
    for (int entry = 0; entry < plan.size(); entry++) {
      if (plan.kind(entry) != EntryKind.RUNNING) { // resumed: what was loaded for it was taken away
        world.ledger().byNumber(plan.request(entry).number()).admitted(plan.beginNs());
      }
    }
  }

  private void digest(PlannedEvent event) {
    final StepPlan plan = event.plan();
    digest.add(11, plan.stepId(), plan.beginNs(), event.freeBlocks());
    digest.add(12, plan.size(), plan.totalTokens(), event.runningCount());
    for (int entry = 0; entry < plan.size(); entry++) {
      digest.add(
          13,
          plan.request(entry).number(),
          plan.computedTokens(entry),
          plan.scheduledTokens(entry));
    }
  }

  private void checkCounts(PlannedEvent event) {
    if (event.runningCount() != victims.running()
        || event.waitingCount() != waits.queued()
        || event.preemptedWaitingCount() != preemptedWaiting) {
      rules.violate(
          Rule.BOOKS,
          "a plan must count the requests that are there: step="
              + event.plan().stepId()
              + ", running="
              + event.runningCount()
              + " of "
              + victims.running()
              + ", waiting="
              + event.waitingCount()
              + " of "
              + waits.queued()
              + ", preempted="
              + event.preemptedWaitingCount()
              + " of "
              + preemptedWaiting);
    }
  }

  @Override
  public void onFirstToken(FirstTokenEvent event) {
    digest.add(14, event.request().number(), event.atNs(), 0);
    coverage.moved(of(event.request()), Stage.FIRST_TOKEN);
  }

  @Override
  public void onFinished(FinishedEvent event) {
    final RequestView view = event.request();
    final TrackedRequest request = of(view);
    digest.add(15, view.number(), event.atNs(), event.reason().name().hashCode());
    coverage.moved(request, Stage.FINISHED);
    request.finishedEvents++;
    leavePreempted(request);
    plans.finished();
    waits.ended(request, event.atNs());
    victims.ended(view);
    liveness.ended(view);
  }

  @Override
  public void onStepCompleted(StepCompletedEvent event) {
    final StepPlan plan = event.plan();
    digest.add(16, plan.stepId(), event.outputNs(), event.endNs());
    if (event.submitNs() < plan.endNs()
        || event.outputNs() < event.submitNs()
        || event.endNs() < event.outputNs()) {
      rules.violate(
          Rule.BOOKS,
          "the instants of a step must be in order: step="
              + plan.stepId()
              + ", planEndNs="
              + plan.endNs()
              + ", submitNs="
              + event.submitNs()
              + ", outputNs="
              + event.outputNs()
              + ", endNs="
              + event.endNs());
    }
    final boolean hasFailed = event.failure() != null;
    outputs.completed(event, executor.isSound(plan.stepId()));
    transfers.ended(plan.stepId(), hasFailed);
    if (hasFailed && executor.stepsOut() > 0 && executor.newestOut() <= plan.stepId()) {
      cache.checkHeldBack();
    }
    liveness.answered(plan);
  }

  /** A request that has ended and that no plan, or more than one, has named as ended; or null. */
  @Nullable TrackedRequest firstNotTold() {
    for (TrackedRequest request : world.ledger().queued()) {
      if (request.toldFinished != 1) {
        return request;
      }
    }
    return null;
  }

  /** With nothing left to do every end must have been reported to the executors. */
  void checkIdle() {
    final TrackedRequest request = firstNotTold();
    if (request != null) {
      rules.violate(
          Rule.BOOKS,
          "plans must tell the executor of every end, once: "
              + request
              + ", times="
              + request.toldFinished);
    }
  }
}
