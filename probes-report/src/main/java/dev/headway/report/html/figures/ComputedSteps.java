package dev.headway.report.html.figures;

import dev.headway.toolbox.stats.Distribution;
import dev.headway.toolbox.stats.FoldingTable;
import dev.headway.toolbox.stats.RowSample;

/**
 * Steps that computed something, over their numbers from 0: what the six plots of a scheduling
 * profile show, whether the steps come from records or from the lines of a profile. Memory is
 * bounded.
 */
public final class ComputedSteps {

  /** Columns of {@link #overSteps}. */
  public enum OverSteps {
    /** The scheduler's decision. */
    SCHEDULE_NS,
    /** From hand-over to output. */
    MODEL_RUN_NS,
    /** Requests that are not decoding. */
    PREFILL_REQUESTS,
    /** Requests that are. */
    DECODE_REQUESTS,
    /** Tokens of requests that are not decoding, those computed again left out. */
    PREFILL_TOKENS,
    /** Tokens of requests that are decoding. */
    DECODE_TOKENS,
    /** Tokens computed again after a preemption. */
    RECOMPUTED_TOKENS,
    /** Requests preempted. */
    PREEMPTED;

    /** Its place in the table. */
    @SuppressWarnings("EnumOrdinal") // the table lives as long as the program
    public int column() {
      return ordinal();
    }
  }

  private static final int BUCKETS = 800;
  private static final int SAMPLED_STEPS = 20_000;

  private final FoldingTable overSteps = new FoldingTable(OverSteps.values().length, BUCKETS, 1);
  private final Distribution schedule = new Distribution();
  private final Distribution modelRun = new Distribution();
  private final Distribution mixedRun = new Distribution();
  private final Distribution decodeRun = new Distribution();
  private final RowSample sample = new RowSample(SAMPLED_STEPS);
  private long count;

  /** Makes a series of no step. */
  public ComputedSteps() {}

  /** The decision of a step took so long; of steps that compute nothing too. */
  public void scheduled(long scheduleNs) {
    schedule.add(scheduleNs);
  }

  /** Begins a step that computes something; what follows is of this one. */
  public void begin() {
    count++;
  }

  /** A figure of the step. */
  public void add(OverSteps column, long value) {
    overSteps.add(column.column(), count - 1, value);
  }

  /** The step was executed. */
  public void ran(
      long runNs,
      long scheduleNs,
      int prefillTokens,
      int decodeRequests,
      int decodeTokens,
      long contextTokens) {
    add(OverSteps.MODEL_RUN_NS, runNs);
    modelRun.add(runNs);
    (prefillTokens > 0 ? mixedRun : decodeRun).add(runNs);
    sample.add(
        (double) runNs,
        prefillTokens,
        decodeRequests,
        (double) contextTokens,
        (double) scheduleNs,
        decodeTokens,
        (double) (count - 1));
  }

  /** Columns {@link OverSteps} over the number of the step. */
  public FoldingTable overSteps() {
    return overSteps;
  }

  /** The scheduler's decision. */
  public Distribution schedule() {
    return schedule;
  }

  /** From hand-over to output. */
  public Distribution modelRun() {
    return modelRun;
  }

  /** The same of steps with prefill tokens. */
  public Distribution mixedRun() {
    return mixedRun;
  }

  /** The same of steps without. */
  public Distribution decodeRun() {
    return decodeRun;
  }

  /**
   * Some steps: model run in ns, prefill tokens, decode requests, context tokens, schedule in ns,
   * decode tokens, number.
   */
  public RowSample sample() {
    return sample;
  }

  /** How many. */
  public long count() {
    return count;
  }
}
