package dev.headway.simulation.run;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.schedule.WaitReason;
import dev.headway.events.inprocess.RunDetail;
import dev.headway.events.inprocess.RunProbe;
import dev.headway.events.model.Cause;
import dev.headway.events.model.Decision;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepPlanFigures;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.model.WaitListener;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.simulation.run.RunFigures.Percentiles;
import dev.headway.toolbox.stats.Distribution;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Takes the figures of the summary while the run goes on, from the run model that the CSV files
 * come from too.
 *
 * <p>Engine thread only. Memory is bounded by live requests. Latencies of a request are those of
 * its {@link RequestTimeline}, and percentiles are taken as in the report, so that the two agree to
 * the last digit.
 */
public final class RunMeter implements RunListener, WaitListener {

  private static final String WHOLE = FinishReason.LENGTH.label();

  private final long ttftLimitNs;
  private final long tpotLimitNs;
  private final Distribution ttft = new Distribution();
  private final Distribution tpot = new Distribution();
  private final Distribution endToEnd = new Distribution();
  private final Distribution schedule = new Distribution();
  private final Map<String, long[]> finished = new TreeMap<>();
  private final Map<String, long[]> rejected = new TreeMap<>();
  private List<Cause> causes = List.of();
  private long[] waitedNs = new long[8];
  private long beforeQueueNs;
  private long finishedTotal;
  private long rejectedTotal;
  private long withinLimits;
  private long promptTokens;
  private long outputTokens;
  private long queriedTokens;
  private long hitTokens;
  private long preemptions;
  private long recomputedTokens;
  private long steps;
  private long emptySteps;
  private long requestSteps;
  private long startNs;
  private long endNs;
  private long runningTimeNs;
  private long busyNs;
  private double usedBlockTimeNs;
  private int usableBlocks;
  private int fewestFreeBlocks;

  private final RequestEnds ends;

  /** What is notified of every request that ends or is refused, on the engine's thread. */
  public interface RequestEnds {

    /** Ignores every request. */
    RequestEnds IGNORED =
        new RequestEnds() {
          @Override
          public void finished(RequestTimeline request, FinishedRecord end) {}

          @Override
          public void rejected(RejectedRecord rejection) {}
        };

    /** A request ended. */
    void finished(RequestTimeline request, FinishedRecord end);

    /** A request was refused. */
    void rejected(RejectedRecord rejection);
  }

  /** Begins with nothing. */
  public RunMeter() {
    this(Long.MAX_VALUE, Long.MAX_VALUE, RequestEnds.IGNORED);
  }

  /** Begins with nothing, and passes on what becomes of each request. */
  public RunMeter(RequestEnds ends) {
    this(Long.MAX_VALUE, Long.MAX_VALUE, ends);
  }

  /**
   * Begins with nothing, and counts what {@link #withinLimits} says.
   *
   * @param ttftLimitNs longest time to the first token
   * @param tpotLimitNs longest mean time per further token
   */
  public RunMeter(long ttftLimitNs, long tpotLimitNs) {
    this(ttftLimitNs, tpotLimitNs, RequestEnds.IGNORED);
  }

  private RunMeter(long ttftLimitNs, long tpotLimitNs, RequestEnds ends) {
    this.ttftLimitNs = ttftLimitNs;
    this.tpotLimitNs = tpotLimitNs;
    this.ends = ends;
  }

  /** Makes the probe that feeds it, for one engine; with tokens, since the last one ends TPOT. */
  public Probe probe() {
    return new RunProbe(this, RunDetail.TOKENS);
  }

  @Override
  public RunListener onRun(RunTimeline run) {
    usableBlocks = run.usableBlocks();
    fewestFreeBlocks = usableBlocks;
    causes = run.bookWaits(this);
    return this;
  }

  @Override
  public void onQueued(RequestTimeline request) {
    beforeQueueNs += request.queued().queuedNs() - request.queued().arrivalNs();
  }

  @Override
  public void onRejected(RejectedRecord rejection) {
    rejectedTotal++;
    count(rejected, rejection.reason());
    ends.rejected(rejection);
  }

  @Override
  public void onAdmitted(RequestTimeline request, int cachedTokens, long nowNs) {
    if (request.preemptions() == 0) {
      queriedTokens += request.queued().promptTokens();
      hitTokens += cachedTokens;
    }
  }

  @Override
  public void onPreempted(Decision.Preempted preemption, long nowNs) {
    preemptions++;
  }

  @Override
  public void onWaited(Cause cause, long fromNs, long toNs, int requests) {
    if (cause.index() >= waitedNs.length) {
      waitedNs = Arrays.copyOf(waitedNs, 2 * cause.index());
    }
    waitedNs[cause.index()] += (toNs - fromNs) * requests;
  }

  @Override
  public void onPlanned(StepTimeline step) {
    final StepPlanFigures plan = step.plan();
    requestSteps += plan.runningCount() + plan.waitingCount();
    fewestFreeBlocks = Math.min(fewestFreeBlocks, plan.freeBlocks());
  }

  @Override
  public void onFinished(RequestTimeline request, FinishedRecord end) {
    finishedTotal++;
    count(finished, end.reason());
    promptTokens += request.queued().promptTokens();
    outputTokens += end.outputTokens();
    recomputedTokens += request.recomputedTokens();
    ends.finished(request, end);
  }

  /** The tokens of its last step are known now, and with them the time per token. */
  @Override
  public void onSettled(RequestTimeline request) {
    add(endToEnd, request.endToEndNs());
    add(ttft, request.ttftNs());
    add(tpot, request.tpotNs());
    final boolean isInTime =
        request.firstTokenNs() != ABSENT
            && request.ttftNs() <= ttftLimitNs
            && request.tpotNs() <= tpotLimitNs; // absent of a single token, and less than any limit
    withinLimits += isInTime && WHOLE.equals(request.finishReason()) ? 1 : 0;
  }

  private static void add(Distribution times, long ns) {
    if (ns != ABSENT) {
      times.add(ns);
    }
  }

  @Override
  public void onStep(StepTimeline step) {
    final StepPlanFigures plan = step.plan();
    if (plan.batchSize() > 0) {
      // with steps planned ahead, this one began before the latest one ended
      final long durationNs = step.endNs() - Math.max(plan.beginNs(), endNs);
      steps++;
      if (step.knownScheduleNs() != ABSENT) {
        schedule.add(step.knownScheduleNs());
      }
      busyNs += durationNs;
      runningTimeNs += durationNs * plan.runningCount();
      usedBlockTimeNs += (double) durationNs * (usableBlocks - plan.freeBlocks());
    } else {
      emptySteps++;
    }
    endNs = step.endNs();
  }

  /** Requests that have ended or were refused. */
  public long done() {
    return finishedTotal + rejectedTotal;
  }

  /** Requests that got all their tokens within the limits. */
  public long withinLimits() {
    return withinLimits;
  }

  /** Requests alive, summed over the steps. */
  public long requestSteps() {
    return requestSteps;
  }

  /**
   * Says when the workload began, if that was not at 0: on the wall clock an engine and its probes
   * take some time to start. It counts what the run lasted from there.
   *
   * @param workloadStartNs on the engine's clock
   */
  public void startedAt(long workloadStartNs) {
    startNs = workloadStartNs;
  }

  /**
   * What was measured.
   *
   * @param bound what the trace says of its prompts
   */
  public RunFigures figures(PrefixBound bound) {
    return new RunFigures(
        counts(finished),
        counts(rejected),
        new RunFigures.Work(
            Math.max(0, endNs - startNs), busyNs, steps, emptySteps, promptTokens, outputTokens),
        new RunFigures.Latencies(
            Percentiles.of(ttft), Percentiles.of(tpot), Percentiles.of(endToEnd)),
        new RunFigures.Memory(
            usableBlocks,
            usableBlocks - fewestFreeBlocks,
            busyNs == 0 ? 0 : usedBlockTimeNs / busyNs,
            busyNs == 0 ? 0 : (double) runningTimeNs / busyNs,
            preemptions,
            recomputedTokens),
        new RunFigures.PrefixCache(
            queriedTokens, hitTokens, bound.isKnown() ? bound.share() : Double.NaN),
        waitedBy(Cause::reason),
        waitedBy(Cause::root),
        beforeQueueNs);
  }

  private Map<WaitReason, Long> waitedBy(Function<Cause, String> part) {
    final Map<WaitReason, Long> result = new EnumMap<>(WaitReason.class);
    for (WaitReason reason : WaitReason.values()) {
      long ns = 0;
      for (Cause cause : causes) {
        if (cause.index() < waitedNs.length && part.apply(cause).equals(reason.label())) {
          ns += waitedNs[cause.index()];
        }
      }
      if (ns != 0) {
        result.put(reason, ns);
      }
    }
    return result;
  }

  private static void count(Map<String, long[]> counts, String label) {
    counts.computeIfAbsent(label, first -> new long[1])[0]++;
  }

  private static Map<String, Long> counts(Map<String, long[]> counts) {
    return counts.entrySet().stream()
        .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, entry -> entry.getValue()[0]));
  }

  /**
   * How long scheduling a step took on this machine; of no step if the run is in virtual time and
   * its clock does not measure that. Not among the figures of the run, which equal runs share.
   */
  public Percentiles scheduling() {
    return Percentiles.of(schedule);
  }
}
