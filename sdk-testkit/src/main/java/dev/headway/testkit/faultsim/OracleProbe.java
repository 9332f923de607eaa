package dev.headway.testkit.faultsim;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvTransfer;
import dev.headway.api.probe.AdmissionsClosedEvent;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.CacheResetEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.FirstTokenEvent;
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
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
import dev.headway.testkit.faultsim.Coverage.Stage;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Looks at every event: checks waits, limits and progress, counts, and digests. */
final class OracleProbe implements Probe {

  private final World world;
  private final SchedulerConfig config;
  private final Coverage coverage;
  private final EventDigest digest;
  private final Liveness liveness;

  /** Admissions and preemptions since the latest plan, in order: they take effect at its end. */
  private final List<TrackedRequest> decided = new ArrayList<>();

  private final List<Boolean> isAdmission = new ArrayList<>();
  private long resetNs;

  OracleProbe(World world, SchedulerConfig config, Coverage coverage, EventDigest digest) {
    this.world = world;
    this.config = config;
    this.coverage = coverage;
    this.digest = digest;
    liveness = new Liveness(() -> "");
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
    return world.tracked(view.number());
  }

  @Override
  public void onQueued(QueuedEvent event) {
    final RequestView view = event.request();
    final TrackedRequest request = world.queued(view);
    digest.add(1, view.number(), event.atNs(), view.knownTokens());
    coverage.moved(request, Stage.QUEUED);
    request.queuedEvents++;
    request.isWaiting = true;
    request.waitingSinceNs = event.atNs();
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
    digest.add(3, view.number(), event.cachedTokens(), event.evictedTokens());
    final boolean isNew = event.kind() == EntryKind.NEW;
    coverage.moved(request, isNew ? Stage.ADMITTED : Stage.RESUMED);
    coverage.cachedTokens += event.cachedTokens();
    coverage.hostTokens += event.hostCachedTokens();
    decided.add(request);
    isAdmission.add(Boolean.TRUE);
  }

  @Override
  public void onBlocked(BlockedEvent event) {
    final RequestView view = event.request();
    digest.add(4, view.number(), event.reason().name().hashCode(), event.needed());
    coverage.moved(of(view), Stage.BLOCKED);
    coverage.waited(event.reason());
  }

  @Override
  public void onUnblocked(UnblockedEvent event) {
    digest.add(5, event.request().number(), event.stepId(), 0);
    coverage.moved(of(event.request()), Stage.UNBLOCKED);
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedEvent event) {
    final RequestView blocker = event.blocker();
    digest.add(6, blocker == null ? 0 : blocker.number(), event.reason().name().hashCode(), 0);
    coverage.waited(event.reason());
  }

  @Override
  public void onPreempted(PreemptedEvent event) {
    final RequestView view = event.request();
    final TrackedRequest request = of(view);
    digest.add(7, view.number(), event.lostTokens(), event.freedBlocks());
    coverage.moved(request, Stage.PREEMPTED);
    coverage.preempted(event.cause());
    if (event.cause() == PreemptionCause.CACHE_RESET) {
      waitFrom(request, resetNs);
    } else {
      decided.add(request);
      isAdmission.add(Boolean.FALSE);
    }
  }

  private static void waitFrom(TrackedRequest request, long sinceNs) {
    request.isWaiting = true;
    request.waitingSinceNs = sinceNs;
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
  public void onPlanned(PlannedEvent event) {
    final StepPlan plan = event.plan();
    digest.add(11, plan.stepId(), plan.beginNs(), event.freeBlocks());
    digest.add(12, plan.size(), plan.totalTokens(), event.runningCount());
    for (int i = 0; i < decided.size(); i++) {
      final TrackedRequest request = decided.get(i);
      if (isAdmission.get(i)) {
        endWait(request, event.endNs());
      } else {
        waitFrom(request, event.endNs());
      }
    }
    decided.clear();
    isAdmission.clear();
    for (int entry = 0; entry < plan.size(); entry++) {
      digest.add(
          13,
          plan.request(entry).number(),
          plan.computedTokens(entry),
          plan.scheduledTokens(entry));
    }
    checkLimits(plan, event.runningCount());
    try {
      liveness.planned(plan, !world.isPaused());
    } catch (AssertionError e) {
      world.violate(Rule.PROGRESS, String.valueOf(e.getMessage()));
    }
  }

  private void endWait(TrackedRequest request, long nowNs) {
    if (request.isWaiting) {
      request.isWaiting = false;
      if (nowNs < request.waitingSinceNs) {
        world.violate(
            Rule.WAITS_ADD_UP,
            "a wait must not end before it begins: "
                + request
                + ", sinceNs="
                + request.waitingSinceNs
                + ", nowNs="
                + nowNs);
      }
      request.waitedNs += nowNs - request.waitingSinceNs;
    }
  }

  private void checkLimits(StepPlan plan, int running) {
    final SchedulerLimits limits = config.limits();
    final int tokens =
        config.maxNumScheduledTokens() > 0
            ? config.maxNumScheduledTokens()
            : limits.maxNumBatchedTokens();
    final int active =
        config.maxNumActiveSeqs() > 0 ? config.maxNumActiveSeqs() : limits.maxNumSeqs();
    if (plan.totalTokens() > tokens || plan.size() > limits.maxNumSeqs() || running > active) {
      world.violate(
          Rule.LIMITS,
          "a plan must be within the limits: step="
              + plan.stepId()
              + ", tokens="
              + plan.totalTokens()
              + " of "
              + tokens
              + ", requests="
              + plan.size()
              + ", running="
              + running
              + " of "
              + active);
    }
    if (config.maxLoras() > 0 && adapters(plan) > config.maxLoras()) {
      world.violate(
          Rule.LIMITS,
          "a plan must have no more adapters than maxLoras: step="
              + plan.stepId()
              + ", adapters="
              + adapters(plan)
              + ", maxLoras="
              + config.maxLoras());
    }
  }

  private static int adapters(StepPlan plan) {
    int used = 0;
    for (int entry = 0; entry < plan.size(); entry++) {
      final var adapter = plan.request(entry).request().lora();
      used |= adapter == null ? 0 : 1 << adapter.id();
    }
    return Integer.bitCount(used);
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
    for (int i = decided.size() - 1; i >= 0; i--) { // by the very plan that is being made
      if (decided.get(i) == request) {
        decided.remove(i);
        isAdmission.remove(i);
      }
    }
    endWait(request, event.atNs());
    liveness.ended(view);
  }

  @Override
  public void onStepCompleted(StepCompletedEvent event) {
    final StepPlan plan = event.plan();
    digest.add(16, plan.stepId(), event.outputNs(), event.endNs());
    if (event.submitNs() < plan.endNs()
        || event.outputNs() < event.submitNs()
        || event.endNs() < event.outputNs()) {
      world.violate(
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
    liveness.answered(plan);
  }
}
