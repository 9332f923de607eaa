package dev.headway.simulation.compare;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.Decision;
import dev.headway.events.model.RequestTable;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.StepEntries;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.simulation.workload.WorkloadRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes down what became of every request of a run, from the run model. Engine thread only. Memory
 * grows with the requests, up to a few KiB each, not with their tokens.
 */
public final class RunLog implements RunListener {

  /** Most requests of a run, so that its figures fit into the heap. */
  public static final int MOST_REQUESTS = 250_000;

  private static final double OUTPUT_WEIGHT = 2;

  private final List<RequestFigures> requests = new ArrayList<>();
  private final Map<String, RequestFigures> submitted = new HashMap<>();
  private final RequestTable<RequestFigures> live = new RequestTable<>();
  private final TenantFairness fairness;
  private long steps;
  private long endNs;
  private long computedTokens;
  private long recomputedTokens;
  private long preemptions;
  private long selfPreemptions;
  private long lostComputed;
  private long queriedTokens;
  private long hitTokens;
  private long outputs;

  RunLog(long fairnessWindowNs) {
    fairness = new TenantFairness(fairnessWindowNs);
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
    submitted.put(figures.id, figures);
  }

  @Override
  public void onRejected(RejectedRecord rejection) {
    final RequestFigures figures = submitted.remove(rejection.requestId());
    if (figures != null) {
      figures.outcome = rejection.reason();
    }
  }

  @Override
  public void onQueued(RequestTimeline request) {
    final RequestFigures figures = submitted.remove(request.id());
    if (figures == null) {
      throw new IllegalStateException("a request must be submitted first: id=" + request.id());
    }
    live.add(request.number(), figures);
    figures.startsWaiting(request.queued().queuedNs());
  }

  @Override
  public void onAdmitted(RequestTimeline request, int cachedTokens, long nowNs) {
    final RequestFigures figures = of(request);
    figures.stopsWaiting(nowNs);
    if (request.preemptions() == 0) {
      figures.cachedTokens = cachedTokens;
      queriedTokens += figures.promptTokens;
      hitTokens += cachedTokens;
    }
  }

  @Override
  public void onPreempted(Decision.Preempted preemption, long nowNs) {
    preemptions++;
    selfPreemptions += preemption.beneficiary() == preemption.request() ? 1 : 0;
    lostComputed += preemption.record().lostTokens();
    of(preemption.request()).startsWaiting(nowNs);
  }

  @Override
  public void onFinished(RequestTimeline request, FinishedRecord end) {
    of(request).stopsWaiting(end.atNs());
    recomputedTokens += request.recomputedTokens();
  }

  @Override
  public void onStep(StepTimeline step) {
    endNs = step.endNs();
    if (step.plan().batchSize() > 0) {
      steps++;
    }
    final StepEntries entries = step.entries();
    for (int entry = 0; entry < entries.size(); entry++) {
      final RequestTimeline request = entries.request(entry);
      final RequestFigures figures = request == null ? null : live.get(request.number());
      if (figures != null) { // one in flight may hold one that has ended
        computedTokens += entries.keptTokens(entry);
        if (figures.account != null) {
          figures.account.receives(
              entries.firstPromptTokens(entry) + OUTPUT_WEIGHT * entries.producedTokens(entry));
        }
      }
    }
    fairness.stepEnded(endNs);
  }

  @Override
  public void onTokens(RequestTimeline request, int tokens, long gapNs) {
    outputs += tokens;
    if (gapNs != ABSENT) {
      of(request).gaps.add(gapNs);
    }
  }

  /** It has all its tokens. */
  @Override
  public void onSettled(RequestTimeline request) {
    final RequestFigures figures = of(request);
    figures.outcome = String.valueOf(request.finishReason());
    figures.produced = request.outputTokens();
    figures.ttftNs = orNone(request.ttftNs());
    figures.tpotNs = orNone(request.tpotNs());
    figures.endToEndNs = orNone(request.endToEndNs());
    figures.preemptions = request.preemptions();
    figures.recomputedTokens = request.recomputedTokens();
    live.remove(request.number());
  }

  private static long orNone(long ns) {
    return ns == ABSENT ? RequestFigures.NONE : ns;
  }

  private RequestFigures of(RequestTimeline request) {
    final RequestFigures figures = live.get(request.number());
    if (figures == null) {
      throw new IllegalStateException("a request must be queued once: id=" + request.id());
    }
    return figures;
  }

  /** All requests, in the order of their arrival. */
  List<RequestFigures> requests() {
    return requests;
  }

  /** Requests that have ended or were refused. */
  long done() {
    return (long) requests.size() - submitted.size() - live.size();
  }

  /** Sums over the run. */
  Totals totals() {
    return new Totals(
        steps,
        endNs,
        computedTokens,
        recomputedTokens,
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
