package dev.headway.report.html.figures;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.StepListener;
import dev.headway.events.model.StepTimeline;
import dev.headway.report.html.figures.ComputedSteps.OverSteps;
import dev.headway.toolbox.stats.Distribution;
import dev.headway.toolbox.stats.EveryKth;
import dev.headway.toolbox.stats.FoldingTable;

/** Steps: what they computed and how long that took, over time and over the steps' numbers. */
public final class StepSeries implements StepListener {

  /** Columns of {@link #overTime}. */
  public enum OverTime {
    /** Tokens of requests that are not decoding, those computed again left out. */
    PREFILL_TOKENS,
    /** Tokens of requests that are decoding. */
    DECODE_TOKENS,
    /** Tokens computed again after a preemption. */
    RECOMPUTED_TOKENS,
    /** Running after the decision. */
    RUNNING,
    /** Waiting after the decision. */
    WAITING,
    /** KV blocks not free after the decision. */
    KV_USED,
    /** The scheduler's decision. */
    SCHEDULE_NS,
    /** Building and uploading the batch. */
    PREPARE_NS,
    /** The forward pass, or all that the executor did if it does not say. */
    FORWARD_NS,
    /** Sampling. */
    SAMPLE_NS,
    /** Taking over the output. */
    UPDATE_NS,
    /** Requests preempted. */
    PREEMPTED,
    /** Requests admitted. */
    ADMITTED;

    /** Its place in the table. */
    @SuppressWarnings("EnumOrdinal") // the table lives as long as the program
    public int column() {
      return ordinal();
    }
  }

  private static final int BUCKETS = 800;
  private static final int FIRST_WIDTH_NS = 10_000;
  private static final int BOOTSTRAP_STEPS = 4_096;

  private final int usableBlocks;
  private final FoldingTable overTime =
      new FoldingTable(OverTime.values().length, BUCKETS, FIRST_WIDTH_NS);
  private final ComputedSteps computed = new ComputedSteps();
  private final Distribution duration = new Distribution();
  private final EveryKth orderedDuration = new EveryKth(BOOTSTRAP_STEPS);
  private final EveryKth orderedTokens = new EveryKth(BOOTSTRAP_STEPS);

  private long steps;
  private long failedSteps;
  private long tokens;
  private long prefillTokens;
  private long recomputedTokens;
  private long outputTokens;
  private long preemptions;
  private long admissions;
  private double runningSum;
  private int mostRunning;
  private int mostWaiting;
  private double kvUsedSum;
  private int mostKvUsed;
  private double heldSlots;
  private double filledSlots;
  private long idleNs;
  private long firstSubmitNs = ABSENT;
  private long lastOutputNs = ABSENT;
  private long firstBeginNs = ABSENT;
  private boolean entriesMissing;

  StepSeries(int usableBlocks) {
    this.usableBlocks = usableBlocks;
  }

  @Override
  public void onPlanned(StepTimeline step) {
    final long at = step.plan().endNs();
    final int used = usableBlocks - step.plan().freeBlocks();
    final long recomputed =
        Math.min(step.entries().recomputedTokens(), step.plan().prefillTokens());
    firstBeginNs = firstBeginNs == ABSENT ? step.plan().beginNs() : firstBeginNs;
    time(OverTime.PREFILL_TOKENS, at, step.plan().prefillTokens() - recomputed);
    time(OverTime.DECODE_TOKENS, at, step.plan().decodeTokens());
    time(OverTime.RECOMPUTED_TOKENS, at, recomputed);
    time(OverTime.RUNNING, at, step.plan().runningCount());
    time(OverTime.WAITING, at, step.plan().waitingCount());
    time(OverTime.KV_USED, at, used);
    time(OverTime.PREEMPTED, at, step.changes().preempted().size());
    time(OverTime.ADMITTED, at, step.changes().admitted().size());
    steps++;
    tokens += step.plan().totalTokens();
    prefillTokens += step.plan().prefillTokens();
    recomputedTokens += step.entries().recomputedTokens();
    preemptions += step.changes().preempted().size();
    admissions += step.changes().admitted().size();
    runningSum += step.plan().runningCount();
    mostRunning = Math.max(mostRunning, step.plan().runningCount());
    mostWaiting = Math.max(mostWaiting, step.plan().waitingCount());
    kvUsedSum += used;
    mostKvUsed = Math.max(mostKvUsed, used);
    entriesMissing |= step.plan().batchSize() > 0 && !step.areEntriesKnown();
    heldSlots += step.entries().heldBlocks();
    filledSlots += step.entries().contextTokens();
  }

  @Override
  public void onStep(StepTimeline step) {
    if (step.failure() != null) {
      failedSteps++;
    }
    if (step.durationNs() != ABSENT) {
      duration.add(step.durationNs());
      orderedDuration.add((double) step.durationNs());
      orderedTokens.add(step.plan().totalTokens());
    }
    outputTokens += step.producedTokens();
    final long at = step.plan().endNs();
    time(OverTime.SCHEDULE_NS, at, step.scheduleNs());
    computed.scheduled(step.scheduleNs());
    timeIfKnown(OverTime.PREPARE_NS, at, step.prepareNs());
    timeIfKnown(OverTime.FORWARD_NS, at, step.forwardNs());
    timeIfKnown(OverTime.SAMPLE_NS, at, step.sampleNs());
    timeIfKnown(OverTime.UPDATE_NS, at, step.updateNs());
    if (step.plan().totalTokens() > 0) {
      computes(step);
    }
  }

  @Override
  public void onLost(StepTimeline step) {
    onStep(step); // what was planned counts, and the rest is not known
  }

  private void computes(StepTimeline step) {
    computed.begin();
    final long recomputed =
        Math.min(step.entries().recomputedTokens(), step.plan().prefillTokens());
    computed.add(OverSteps.SCHEDULE_NS, step.scheduleNs());
    computed.add(OverSteps.PREFILL_REQUESTS, step.plan().prefillRequests());
    computed.add(OverSteps.DECODE_REQUESTS, step.plan().decodeRequests());
    computed.add(OverSteps.PREFILL_TOKENS, step.plan().prefillTokens() - recomputed);
    computed.add(OverSteps.DECODE_TOKENS, step.plan().decodeTokens());
    computed.add(OverSteps.RECOMPUTED_TOKENS, recomputed);
    computed.add(OverSteps.PREEMPTED, step.changes().preempted().size());
    final long runNs = step.runNs();
    if (runNs == ABSENT) {
      return;
    }
    computed.ran(
        runNs,
        step.scheduleNs(),
        step.plan().prefillTokens(),
        step.plan().decodeRequests(),
        step.plan().decodeTokens(),
        step.entries().contextTokens());
    if (lastOutputNs == ABSENT) {
      firstSubmitNs = step.submitNs();
    } else {
      idleNs += Math.max(0, step.submitNs() - lastOutputNs);
    }
    lastOutputNs = step.outputNs();
  }

  private void time(OverTime column, long atNs, long value) {
    overTime.add(column.column(), atNs, value);
  }

  private void timeIfKnown(OverTime column, long atNs, long value) {
    if (value != ABSENT) {
      time(column, atNs, value);
    }
  }

  /** Columns {@link OverTime} over the instant of the decision, in ns. */
  public FoldingTable overTime() {
    return overTime;
  }

  /** Those steps that computed something. */
  public ComputedSteps computed() {
    return computed;
  }

  /** Whole steps. */
  public Distribution duration() {
    return duration;
  }

  /** Durations of some steps, in order. */
  public double[] orderedDurations() {
    return orderedDuration.values();
  }

  /** Steps planned. */
  public long steps() {
    return steps;
  }

  /** Those that failed. */
  public long failedSteps() {
    return failedSteps;
  }

  /** Tokens computed. */
  public long tokens() {
    return tokens;
  }

  /** Those of requests that are not decoding. */
  public long prefillTokens() {
    return prefillTokens;
  }

  /** Those that had been computed before a preemption. */
  public long recomputedTokens() {
    return recomputedTokens;
  }

  /** Tokens made. */
  public long outputTokens() {
    return outputTokens;
  }

  /** Preemptions. */
  public long preemptions() {
    return preemptions;
  }

  /** Admissions, resumptions included. */
  public long admissions() {
    return admissions;
  }

  /** Mean over the steps. */
  public double meanRunning() {
    return steps == 0 ? 0 : runningSum / steps;
  }

  /** Most at once. */
  public int mostRunning() {
    return mostRunning;
  }

  /** Most at once. */
  public int mostWaiting() {
    return mostWaiting;
  }

  /** Mean share of the blocks in use over the steps. */
  public double meanKvShare() {
    return steps == 0 || usableBlocks <= 0 ? 0 : kvUsedSum / steps / usableBlocks;
  }

  /** Most blocks in use. */
  public int mostKvUsed() {
    return mostKvUsed;
  }

  /** Blocks that requests can hold. */
  public int usableBlocks() {
    return usableBlocks;
  }

  /** Share of the token slots of held blocks without a token; NaN if unknown. */
  public double emptySlots(int blockSize) {
    return heldSlots == 0 ? Double.NaN : Math.max(0, 1 - filledSlots / (heldSlots * blockSize));
  }

  /** Share of the time between the first hand-over and the last output without a step. */
  public double idleShare() {
    return lastOutputNs == ABSENT || lastOutputNs <= firstSubmitNs
        ? 0
        : (double) idleNs / (lastOutputNs - firstSubmitNs);
  }

  /** From the first decision to the last output. */
  public long spanNs() {
    return lastOutputNs == ABSENT || firstBeginNs == ABSENT ? 0 : lastOutputNs - firstBeginNs;
  }

  /** Whether the journal left out what each request computed. */
  public boolean entriesMissing() {
    return entriesMissing;
  }
}
