package dev.headway.simulation.run;

import dev.headway.api.probe.AdmissionsClosedEvent;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.FirstTokenEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.RejectedEvent;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.probe.UnblockedEvent;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
import dev.headway.events.stats.Distribution;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

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
  private final Deque<Gauges> planned = new ArrayDeque<>();
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

  /** What a plan left behind, until its step is done. */
  private record Gauges(int running, int freeBlocks) {}

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
  public void onQueued(QueuedEvent event) {
    waits.queued(event.request());
  }

  @Override
  public void onRejected(RejectedEvent event) {
    rejectedTotal++;
    rejected.merge(event.reason().label(), 1L, Long::sum);
  }

  @Override
  public void onAdmitted(AdmittedEvent event) {
    waits.admitted(event.request());
    if (event.kind() == EntryKind.RESUMED) {
      recomputation.resumed(event.request(), event.cachedTokens());
    } else {
      queriedTokens += event.request().promptTokens();
      hitTokens += event.cachedTokens();
    }
  }

  @Override
  public void onBlocked(BlockedEvent event) {
    waits.blocked(event.request(), event.reason());
  }

  @Override
  public void onUnblocked(UnblockedEvent event) {
    waits.unblocked(event.request());
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedEvent event) {
    waits.closed(event.reason());
  }

  @Override
  public void onPreempted(PreemptedEvent event) {
    preemptions++;
    waits.preempted(event.request());
    recomputation.preempted(event.request(), event.lostTokens());
  }

  @Override
  public void onPlanned(PlannedEvent event) {
    waits.planned(event.plan().endNs());
    requestSteps += event.runningCount() + event.waitingCount();
    fewestFreeBlocks = Math.min(fewestFreeBlocks, event.freeBlocks());
    planned.addLast(new Gauges(event.runningCount(), event.freeBlocks()));
  }

  @Override
  public void onFirstToken(FirstTokenEvent event) {
    firstTokenNs.put(event.request().number(), event.atNs());
    ttft.add(event.atNs() - event.request().arrivalNs());
  }

  @Override
  public void onFinished(FinishedEvent event) {
    finishedTotal++;
    finished.merge(event.reason().label(), 1L, Long::sum);
    promptTokens += event.request().promptTokens();
    outputTokens += event.request().outputTokens();
    endToEnd.add(event.atNs() - event.request().arrivalNs());
    recomputation.finished(event.request());
    final Long firstNs = firstTokenNs.remove(event.request().number());
    if (firstNs != null && event.request().outputTokens() > 1) {
      tpot.add((event.atNs() - firstNs) / (event.request().outputTokens() - 1));
    }
  }

  @Override
  public void onStepCompleted(StepCompletedEvent event) {
    final StepPlan plan = event.plan();
    final Gauges gauges = planned.removeFirst();
    if (plan.size() > 0) {
      // with steps planned ahead, this one began before the latest one ended
      final long durationNs = event.endNs() - Math.max(plan.beginNs(), endNs);
      steps++;
      busyNs += durationNs;
      runningTimeNs += durationNs * gauges.running();
      usedBlockTimeNs += (double) durationNs * (usableBlocks - gauges.freeBlocks());
    } else {
      emptySteps++;
    }
    endNs = event.endNs();
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
