package dev.headway.simulation.run;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.Rejection;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.probe.StepResult;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
import dev.headway.events.stats.Distribution;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Takes the figures of the summary while the run goes on, by the same definitions as the CSV files;
 * a test compares the two.
 *
 * <p>Engine thread only. Memory is bounded by live requests. Percentiles are taken as in the
 * report, so that the two agree to the last digit.
 */
public final class RunMeter implements Probe {

  private final Distribution ttft = new Distribution();
  private final Distribution tpot = new Distribution();
  private final Distribution endToEnd = new Distribution();
  private final WaitTally waits = new WaitTally();
  private final RecomputationTally recomputation = new RecomputationTally();
  private final Map<Long, Long> firstTokenNs = new HashMap<>();
  private final Map<String, Long> finished = new TreeMap<>();
  private final Map<String, Long> rejected = new TreeMap<>();
  private long finishedTotal;
  private long rejectedTotal;
  private long promptTokens;
  private long outputTokens;
  private long queriedTokens;
  private long hitTokens;
  private long preemptions;
  private long steps;
  private long emptySteps;
  private long requestSteps;
  private long endNs;
  private long runningTimeNs;
  private long busyNs;
  private double usedBlockTimeNs;
  private int usableBlocks;
  private int fewestFreeBlocks;

  /** Begins with nothing. */
  public RunMeter() {}

  @Override
  public Set<ProbeInterest> interests() {
    return EnumSet.of(ProbeInterest.REQUESTS, ProbeInterest.WAITS, ProbeInterest.STEPS);
  }

  @Override
  public void onRunStarted(RunInfo run) {
    usableBlocks = run.kvCache().usableBlocks();
    fewestFreeBlocks = usableBlocks;
  }

  @Override
  public void onQueued(RequestView request) {
    waits.queued(request);
  }

  @Override
  public void onRejected(Rejection rejection) {
    rejectedTotal++;
    rejected.merge(rejection.reason().label(), 1L, Long::sum);
  }

  @Override
  public void onAdmitted(
      long stepId, RequestView request, EntryKind kind, int cachedTokens, int lostTokens) {
    waits.admitted(request);
    if (kind == EntryKind.RESUMED) {
      recomputation.resumed(request, cachedTokens);
    } else {
      queriedTokens += request.promptTokens();
      hitTokens += cachedTokens;
    }
  }

  @Override
  public void onBlocked(
      long stepId,
      RequestView request,
      WaitReason reason,
      @Nullable RequestView blocker,
      int needed,
      int free) {
    waits.blocked(request, reason);
  }

  @Override
  public void onUnblocked(long stepId, RequestView request) {
    waits.unblocked(request);
  }

  @Override
  public void onAdmissionsClosed(long stepId, WaitReason reason, @Nullable RequestView blocker) {
    waits.closed(reason);
  }

  @Override
  public void onPreempted(
      long stepId,
      RequestView victim,
      PreemptionCause cause,
      @Nullable RequestView beneficiary,
      int lostTokens,
      int freedBlocks) {
    preemptions++;
    waits.preempted(victim);
    recomputation.preempted(victim, lostTokens);
  }

  @Override
  public void onPlanned(StepPlan plan) {
    waits.planned(plan.endNs());
    requestSteps += plan.runningCount() + plan.waitingCount();
    fewestFreeBlocks = Math.min(fewestFreeBlocks, plan.freeBlocks());
  }

  @Override
  public void onFirstToken(long stepId, RequestView request, long nowNs) {
    firstTokenNs.put(request.number(), nowNs);
    ttft.add(nowNs - request.arrivalNs());
  }

  @Override
  public void onFinished(
      long stepId,
      RequestView request,
      FinishReason reason,
      int stopTokenId,
      @Nullable Throwable cause,
      int freedBlocks,
      long nowNs) {
    finishedTotal++;
    finished.merge(reason.label(), 1L, Long::sum);
    promptTokens += request.promptTokens();
    outputTokens += request.outputTokens();
    endToEnd.add(nowNs - request.arrivalNs());
    recomputation.finished(request);
    final Long firstNs = firstTokenNs.remove(request.number());
    if (firstNs != null && request.outputTokens() > 1) {
      tpot.add((nowNs - firstNs) / (request.outputTokens() - 1));
    }
  }

  @Override
  public void onStepCompleted(StepResult result) {
    final StepPlan plan = result.plan();
    if (plan.size() > 0) {
      // with steps planned ahead, this one began before the latest one ended
      final long durationNs = result.endNs() - Math.max(plan.beginNs(), endNs);
      steps++;
      busyNs += durationNs;
      runningTimeNs += durationNs * plan.runningCount();
      usedBlockTimeNs += (double) durationNs * (usableBlocks - plan.freeBlocks());
    } else {
      emptySteps++;
    }
    endNs = result.endNs();
  }

  /** Requests that have ended or were refused. */
  public long done() {
    return finishedTotal + rejectedTotal;
  }

  /** Requests alive, summed over the steps. */
  public long requestSteps() {
    return requestSteps;
  }

  /**
   * What was measured.
   *
   * @param bound what the trace says of its prompts
   */
  public RunFigures figures(PrefixBound bound) {
    return new RunFigures(
        Map.copyOf(finished),
        Map.copyOf(rejected),
        new RunFigures.Work(endNs, busyNs, steps, emptySteps, promptTokens, outputTokens),
        new RunFigures.Latencies(percentiles(ttft), percentiles(tpot), percentiles(endToEnd)),
        new RunFigures.Memory(
            usableBlocks,
            usableBlocks - fewestFreeBlocks,
            busyNs == 0 ? 0 : usedBlockTimeNs / busyNs,
            busyNs == 0 ? 0 : (double) runningTimeNs / busyNs,
            preemptions,
            recomputation.tokens()),
        new RunFigures.PrefixCache(
            queriedTokens, hitTokens, bound.isKnown() ? bound.share() : Double.NaN),
        waits.spentNs());
  }

  private static RunFigures.Percentiles percentiles(Distribution times) {
    return new RunFigures.Percentiles(
        times.count(),
        Math.round(times.mean()),
        Math.round(times.quantile(0.50)),
        Math.round(times.quantile(0.90)),
        Math.round(times.quantile(0.99)));
  }
}
