package dev.headway.probes.csv.track;

import dev.headway.probes.chronicle.record.JournalVisitor;
import dev.headway.probes.chronicle.record.JournalVisitor.CompletedStep;
import dev.headway.probes.chronicle.record.JournalVisitor.PlannedStep;
import dev.headway.probes.csv.table.Table;
import org.jspecify.annotations.Nullable;

/** A step from its plan to its completion. Figures that are not known are {@link Table#ABSENT}. */
public final class TrackedStep {

  private final long stepId;
  private final long beginNs;
  private final long plannedNs;
  private final int batchSize;
  private final int totalTokens;
  private final int prefillRequests;
  private final int prefillTokens;
  private final int runningCount;
  private final int waitingCount;
  private final int freeBlocks;
  private final int admitted;
  private final int preempted;
  private final boolean hasEntries;
  final @Nullable TrackedRequest[] entries;

  private long contextTokens;
  private long heldBlocks;
  private long recomputedTokens;

  private boolean done;
  private boolean executed;
  private long submitNs = Table.ABSENT;
  private long outputNs = Table.ABSENT;
  private long endNs = Table.ABSENT;
  private long prepareNs = Table.ABSENT;
  private long forwardNs = Table.ABSENT;
  private long sampleNs = Table.ABSENT;
  private long producedTokens = Table.ABSENT;
  private @Nullable String failure;

  TrackedStep(PlannedStep step, int admitted, int preempted) {
    this.stepId = step.stepId();
    this.beginNs = step.beginNs();
    this.plannedNs = step.endNs();
    this.batchSize = step.batchSize();
    this.totalTokens = step.totalTokens();
    this.prefillRequests = step.prefillRequests();
    this.prefillTokens = step.prefillTokens();
    this.runningCount = step.runningCount();
    this.waitingCount = step.waitingCount();
    this.freeBlocks = step.freeBlocks();
    this.admitted = admitted;
    this.preempted = preempted;
    this.hasEntries = step.hasEntries();
    this.entries = new @Nullable TrackedRequest[hasEntries ? batchSize : 0];
  }

  void addEntry(PlannedStep step, int entry, long recomputed) {
    contextTokens += step.computedTokens(entry) + (long) step.scheduledTokens(entry);
    heldBlocks += step.blockCount(entry);
    recomputedTokens += recomputed;
  }

  void complete(CompletedStep step) {
    done = true;
    executed = step.wasExecuted();
    submitNs = executed ? step.submitNs() : Table.ABSENT;
    outputNs = step.outputNs();
    endNs = step.endNs();
    prepareNs = measured(step.prepareNs());
    forwardNs = measured(step.forwardNs());
    sampleNs = measured(step.sampleNs());
    producedTokens = step.producedTotal();
    failure = step.failure();
  }

  void giveUp() {
    done = true;
  }

  boolean isDone() {
    return done;
  }

  /** Number of the step, from 1. */
  public long stepId() {
    return stepId;
  }

  /** Instant at which scheduling began. */
  public long beginNs() {
    return beginNs;
  }

  /** Instant at which scheduling ended. */
  public long plannedNs() {
    return plannedNs;
  }

  /** Requests that compute. */
  public int batchSize() {
    return batchSize;
  }

  /** Tokens computed. */
  public int totalTokens() {
    return totalTokens;
  }

  /** Requests that are not decoding. */
  public int prefillRequests() {
    return prefillRequests;
  }

  /** Requests that are decoding. */
  public int decodeRequests() {
    return batchSize - prefillRequests;
  }

  /** Tokens of those that are not decoding. */
  public int prefillTokens() {
    return prefillTokens;
  }

  /** Tokens of those that are decoding. */
  public int decodeTokens() {
    return totalTokens - prefillTokens;
  }

  /** Tokens computed that had been computed before a preemption. */
  public long recomputedTokens() {
    return recomputedTokens;
  }

  /** Running after the decision. */
  public int runningCount() {
    return runningCount;
  }

  /** Waiting after the decision. */
  public int waitingCount() {
    return waitingCount;
  }

  /** KV blocks free after the decision. */
  public int freeBlocks() {
    return freeBlocks;
  }

  /** Requests admitted since the plan before. */
  public int admitted() {
    return admitted;
  }

  /** Requests put back since the plan before. */
  public int preempted() {
    return preempted;
  }

  /** Whether the journal says what each request computed. */
  public boolean hasEntries() {
    return hasEntries;
  }

  /** Tokens in the KV cache that the batch attends to, those of this step included. */
  public long contextTokens() {
    return contextTokens;
  }

  /** KV blocks held by the requests of the batch, shared ones once for each. */
  public long heldBlocks() {
    return heldBlocks;
  }

  /** Whether the executor saw it. */
  public boolean wasExecuted() {
    return executed;
  }

  /** Instant of the hand-over to the executor. */
  public long submitNs() {
    return submitNs;
  }

  /** Instant at which the output was available. */
  public long outputNs() {
    return outputNs;
  }

  /** Instant at which the output was taken over. */
  public long endNs() {
    return endNs;
  }

  /** Time to build and upload the batch, as the executor timed it. */
  public long prepareNs() {
    return prepareNs;
  }

  /** Time of the forward pass, as the executor timed it. */
  public long forwardNs() {
    return forwardNs;
  }

  /** Time to sample, as the executor timed it. */
  public long sampleNs() {
    return sampleNs;
  }

  /** Tokens that came out. */
  public long producedTokens() {
    return producedTokens;
  }

  /** What failed, or null. */
  public @Nullable String failure() {
    return failure;
  }

  /** The scheduler's decision. */
  public long scheduleNs() {
    return plannedNs - beginNs;
  }

  /** From hand-over to output. */
  public long modelRunNs() {
    return submitNs == Table.ABSENT || outputNs == Table.ABSENT
        ? Table.ABSENT
        : outputNs - submitNs;
  }

  /** From output to the end. */
  public long updateNs() {
    return outputNs == Table.ABSENT || endNs == Table.ABSENT ? Table.ABSENT : endNs - outputNs;
  }

  /** The whole step. */
  public long durationNs() {
    return endNs == Table.ABSENT ? Table.ABSENT : endNs - beginNs;
  }

  private static long measured(long figure) {
    return figure == JournalVisitor.ABSENT ? Table.ABSENT : figure;
  }
}
