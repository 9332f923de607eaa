package dev.headway.simulation.compare;

import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.RejectedEvent;
import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
import dev.headway.simulation.run.RecomputationTally;
import dev.headway.simulation.workload.WorkloadRequest;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Writes down what became of every request of a run. Engine thread only. Memory grows with the
 * requests, up to a few KiB each, not with their tokens.
 */
public final class RunLog implements Probe {

  /** Most requests of a run, so that its figures fit into the heap. */
  public static final int MOST_REQUESTS = 250_000;

  private static final double OUTPUT_WEIGHT = 2;

  private final List<RequestFigures> requests = new ArrayList<>();
  private final Map<String, RequestFigures> live = new HashMap<>();
  private final List<RequestFigures> ended = new ArrayList<>();
  private final TenantFairness fairness;
  private long steps;
  private long endNs;
  private long computedTokens;
  private final RecomputationTally recomputation = new RecomputationTally();
  private long preemptions;
  private long selfPreemptions;
  private long lostComputed;
  private long queriedTokens;
  private long hitTokens;
  private long outputs;
  private long ownNs;

  RunLog(long fairnessWindowNs) {
    fairness = new TenantFairness(fairnessWindowNs);
  }

  @Override
  public Set<ProbeInterest> interests() {
    return EnumSet.of(ProbeInterest.REQUESTS, ProbeInterest.STEPS);
  }

  /** The engine is about to get a request. */
  void submitted(WorkloadRequest request) {
    if (requests.size() == MOST_REQUESTS) {
      throw new IllegalArgumentException(
          "a comparison keeps the figures of every request: at most "
              + MOST_REQUESTS
              + " requests; use --limit");
    }
    final String tenant = request.tenant();
    final RequestFigures figures =
        new RequestFigures(request, tenant == null ? null : fairness.of(tenant));
    requests.add(figures);
    live.put(figures.id, figures);
  }

  @Override
  public void onRejected(RejectedEvent event) {
    final RequestFigures figures = live.remove(event.request().id());
    if (figures != null) {
      figures.outcome = event.reason().label();
    }
  }

  @Override
  public void onQueued(QueuedEvent event) {
    of(event.request()).startsWaiting();
  }

  @Override
  public void onAdmitted(AdmittedEvent event) {
    final RequestFigures figures = of(event.request());
    figures.stopsWaiting();
    if (event.kind() == EntryKind.NEW) {
      figures.cachedTokens = event.cachedTokens();
      figures.mostComputed = event.cachedTokens();
      queriedTokens += event.request().promptTokens();
      hitTokens += event.cachedTokens();
    } else {
      recomputation.resumed(event.request(), event.cachedTokens());
    }
  }

  @Override
  public void onPreempted(PreemptedEvent event) {
    preemptions++;
    final boolean own =
        event.beneficiary() != null && event.beneficiary().number() == event.request().number();
    selfPreemptions += own ? 1 : 0;
    lostComputed += event.lostTokens();
    final RequestFigures figures = of(event.request());
    figures.preemptions++;
    final long before = recomputation.tokens();
    recomputation.preempted(event.request(), event.lostTokens());
    figures.recomputedTokens += recomputation.tokens() - before;
    figures.startsWaiting();
  }

  @Override
  public void onFinished(FinishedEvent event) {
    final RequestFigures figures = of(event.request());
    figures.stopsWaiting();
    figures.outcome = event.reason().label();
    final long before = recomputation.tokens();
    recomputation.finished(event.request());
    figures.recomputedTokens += recomputation.tokens() - before;
    figures.endToEndNs = event.atNs() - figures.arrivalNs;
    ended.add(figures); // its last tokens are told with the end of the step
  }

  @Override
  public void onStepCompleted(StepCompletedEvent event) {
    final long startNs = System.nanoTime();
    final StepPlan plan = event.plan();
    endNs = event.endNs();
    if (plan.size() > 0) {
      steps++;
    }
    for (int entry = 0; entry < plan.size(); entry++) {
      final RequestFigures figures = live.get(plan.request(entry).id());
      if (figures != null) { // an asynchronous step may still hold one that has ended
        serve(figures, plan, entry, event.outputNs());
      }
    }
    for (RequestFigures figures : ended) {
      live.remove(figures.id);
    }
    ended.clear();
    fairness.stepEnded(event.endNs());
    ownNs += System.nanoTime() - startNs;
  }

  private void serve(RequestFigures figures, StepPlan plan, int entry, long nowNs) {
    final int before = plan.computedTokens(entry);
    final int drafts = plan.draftTokens(entry);
    final int accepted = drafts == 0 ? 0 : Math.max(0, plan.producedTokens(entry) - 1);
    final int after = before + plan.scheduledTokens(entry) - drafts + accepted;
    computedTokens += after - before;
    final int fresh = Math.min(after, figures.promptTokens) - figures.mostComputed;
    figures.mostComputed = Math.max(figures.mostComputed, after);
    final int produced = plan.producedTokens(entry);
    if (figures.account != null) {
      figures.account.receives(Math.max(0, fresh) + OUTPUT_WEIGHT * produced);
    }
    if (produced > 0) {
      tokens(figures, produced, nowNs);
    }
  }

  private void tokens(RequestFigures figures, int produced, long nowNs) {
    outputs += produced;
    if (figures.lastTokenNs == RequestFigures.NONE) {
      figures.ttftNs = nowNs - figures.arrivalNs;
    } else {
      figures.gaps.add(nowNs - figures.lastTokenNs);
    }
    figures.lastTokenNs = nowNs;
    figures.produced += produced;
    if (figures.produced > 1) {
      final long firstNs = figures.arrivalNs + figures.ttftNs;
      figures.tpotNs = (nowNs - firstNs) / (figures.produced - 1);
    }
  }

  private RequestFigures of(RequestView request) {
    final RequestFigures figures = live.get(request.id());
    if (figures == null) {
      throw new IllegalStateException("a request must be submitted first: id=" + request.id());
    }
    return figures;
  }

  /** All requests, in the order of their arrival. */
  List<RequestFigures> requests() {
    return requests;
  }

  /** Requests that have ended or were refused. */
  long done() {
    return (long) requests.size() - live.size();
  }

  /** Real time spent here, which is no cost of the scheduler. */
  long ownNs() {
    return ownNs;
  }

  /** Sums over the run. */
  Totals totals() {
    return new Totals(
        steps,
        endNs,
        computedTokens,
        recomputation.tokens(),
        preemptions,
        selfPreemptions,
        lostComputed,
        queriedTokens,
        hitTokens,
        outputs,
        fairness.tenants() < 2 ? Double.NaN : fairness.index());
  }

  /**
   * Sums over a run; durations in nanoseconds.
   *
   * @param steps that computed something
   * @param endNs end of the last one
   * @param computedTokens all tokens computed, drafts left out
   * @param recomputedTokens those of them computed before
   * @param preemptions how often a request lost its blocks
   * @param selfPreemptions those in which it needed them itself
   * @param lostTokens computed tokens given up
   * @param queriedTokens prompt tokens of admitted requests
   * @param hitTokens those of them found in the prefix cache at the first admission
   * @param outputs tokens generated
   * @param jain index over tenants; NaN if there are not two of them
   */
  record Totals(
      long steps,
      long endNs,
      long computedTokens,
      long recomputedTokens,
      long preemptions,
      long selfPreemptions,
      long lostTokens,
      long queriedTokens,
      long hitTokens,
      long outputs,
      double jain) {}
}
