package dev.headway.report.analyze;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.report.html.figures.ComputedSteps;
import dev.headway.report.html.figures.ComputedSteps.OverSteps;
import dev.headway.toolbox.stats.Distribution;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The steps of one or more runs, a column per figure. Rows are never dropped, and no figure is
 * rounded: rows beyond the first 262,144 are kept in a temporary file, 152 bytes each. Not
 * thread-safe.
 *
 * <p>The span of a run is from the begin of its first scheduling to its last result; a profile
 * without instants gives it by its calendar time.
 */
public final class StepTable implements Closeable {

  private final ColumnFile file = new ColumnFile();

  final Samples scheduleMs = new Samples(file);
  final Samples runMs = new Samples(file);
  final Samples totalMs = new Samples(file);
  final Samples prefillRequests = new Samples(file);
  final Samples decodeRequests = new Samples(file);
  final Samples tokens = new Samples(file);
  final Samples prefillTokens = new Samples(file);
  final Samples producedTokens = new Samples(file);
  final Samples preempted = new Samples(file);
  final Samples waiting = new Samples(file);
  final Samples kvUsage = new Samples(file);
  final Samples lookupRequests = new Samples(file);
  final Samples lookupRequestsHit = new Samples(file);
  final Samples lookupTokens = new Samples(file);
  final Samples lookupHitTokens = new Samples(file);
  final Samples computedSum = new Samples(file);
  final Samples computedMax = new Samples(file);

  /** Step's number in its run, from 0. */
  final Samples indexInRun = new Samples(file);

  /** Seconds from the begin of its run to its own. */
  final Samples ageSeconds = new Samples(file);

  private final Distribution prefillChunks = new Distribution();
  private double computedCount;
  private double closedSpanSeconds;
  private double beginSeconds = Double.NaN;
  private double lastResultSeconds = Double.NaN;
  private long originNs;
  private int indexOfRun;
  private int runs;
  private @Nullable String runId;

  /** Appends a step. */
  void add(StepFigures step) {
    if (runs == 0 || (step.runId != null && !step.runId.equals(runId))) {
      beginRun(step);
    }
    scheduleMs.add(step.scheduleMs);
    runMs.add(step.runMs);
    final double totalStepMs =
        Double.isNaN(step.totalMs) ? step.scheduleMs + step.runMs : step.totalMs;
    totalMs.add(totalStepMs);
    prefillRequests.add(step.prefillRequests);
    decodeRequests.add(step.decodeRequests);
    tokens.add(step.tokens);
    prefillTokens.add(step.prefillTokens);
    producedTokens.add(step.producedTokens);
    preempted.add(step.preempted);
    waiting.add(step.waiting);
    kvUsage.add(step.kvUsage);
    computedSum.add(step.computed.total());
    computedMax.add(step.computed.max);
    computedCount += step.computed.count;
    for (int i = 0; i < step.prefillChunks.count; i++) {
      prefillChunks.add(Math.round(step.prefillChunks.at(i)));
    }
    lookupRequests.add(step.lookupRequests);
    lookupRequestsHit.add(step.lookupRequestsHit);
    lookupTokens.add(step.lookupTokens);
    lookupHitTokens.add(step.lookupHitTokens);
    indexInRun.add(indexOfRun++);
    final double begin = beginSeconds(step);
    ageSeconds.add(begin - beginSeconds);
    final double result = resultSeconds(step, begin, totalStepMs);
    if (!(result <= lastResultSeconds) && !Double.isNaN(result)) {
      lastResultSeconds = result;
    }
  }

  /** Steps. */
  public int size() {
    return tokens.count();
  }

  /** Runs they belong to. */
  public int runs() {
    return runs;
  }

  /** From first scheduling to last result, summed over the runs; NaN if no instant is known. */
  public double spanSeconds() {
    return closedSpanSeconds + (lastResultSeconds - beginSeconds);
  }

  /** Tokens of a prefill chunk: of a request that is not decoding, in a step. */
  public Distribution prefillChunks() {
    return prefillChunks;
  }

  /** The steps as the six plots show them. */
  public ComputedSteps plotted() {
    final ComputedSteps steps = new ComputedSteps();
    for (int row = 0; row < size(); row++) {
      plot(steps, row);
    }
    return steps;
  }

  private void plot(ComputedSteps steps, int row) {
    final long scheduleNs = ns(scheduleMs.at(row));
    final int prefills = whole(prefillTokens.at(row));
    final int decodes = whole(decodeRequests.at(row));
    steps.scheduled(scheduleNs);
    steps.begin();
    steps.add(OverSteps.SCHEDULE_NS, scheduleNs);
    steps.add(OverSteps.PREFILL_REQUESTS, whole(prefillRequests.at(row)));
    steps.add(OverSteps.DECODE_REQUESTS, decodes);
    steps.add(OverSteps.PREFILL_TOKENS, prefills);
    steps.add(OverSteps.DECODE_TOKENS, whole(tokens.at(row)) - prefills);
    steps.add(OverSteps.RECOMPUTED_TOKENS, 0);
    steps.add(OverSteps.PREEMPTED, whole(preempted.at(row)));
    if (!Double.isNaN(runMs.at(row))) {
      steps.ran(
          ns(runMs.at(row)), scheduleNs, prefills, decodes, whole(tokens.at(row)) - prefills, 0);
    }
  }

  /** An absent figure is 0 in a plot. */
  private static int whole(double value) {
    return (int) Math.round(value);
  }

  private static long ns(double ms) {
    return Math.round(ms * 1e6);
  }

  /** Entries whose computed tokens are known. */
  double computedCount() {
    return computedCount;
  }

  /** Deletes the temporary file, if there is one. */
  @Override
  public void close() throws IOException {
    file.close();
  }

  private void beginRun(StepFigures step) {
    if (runs > 0) {
      closedSpanSeconds += lastResultSeconds - beginSeconds;
    }
    runs++;
    runId = step.runId;
    indexOfRun = 0;
    originNs = step.beginNs;
    beginSeconds = beginSeconds(step);
    lastResultSeconds = Double.NaN;
  }

  /** Relative to the run's first step if instants are known, so that no digit is lost. */
  private double beginSeconds(StepFigures step) {
    return step.beginNs != ABSENT && originNs != ABSENT
        ? (step.beginNs - originNs) / 1e9
        : step.unixSeconds - step.scheduleMs / 1e3;
  }

  private double resultSeconds(StepFigures step, double begin, double totalStepMs) {
    return step.resultNs != ABSENT && originNs != ABSENT
        ? (step.resultNs - originNs) / 1e9
        : begin + totalStepMs / 1e3;
  }
}
