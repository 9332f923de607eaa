package dev.headway.probes.csv.projection;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.PlannedStep;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A step from its plan to its row: what was planned is copied, what came of it is added. */
final class StepFrame {

  final int run;
  final long stepId;
  final long beginNs;
  final long plannedNs;
  final int batchSize;
  final int totalTokens;
  final int prefillRequests;
  final int prefillTokens;
  final int runningCount;
  final int waitingCount;
  final int preemptedWaitingCount;
  final int usedBlocks;
  final int usableBlocks;
  final long gapNs;
  final StepChanges changes;
  final @Nullable RequestTimeline[] entries;
  final List<String> completed = new ArrayList<>();

  @Nullable String sharedReason;
  @Nullable String blockerCell;
  @Nullable String runningIds;
  @Nullable String waitingIds;

  boolean done;
  boolean executed;
  long submitNs = ABSENT;
  long outputNs = ABSENT;
  long endNs = ABSENT;
  long prepareNs = ABSENT;
  long forwardNs = ABSENT;
  long sampleNs = ABSENT;
  long deviceMemoryUsedBytes = ABSENT;
  long deviceUtilizationPermille = ABSENT;
  long producedTokens = ABSENT;
  long drafts = ABSENT;
  long draftTokens = ABSENT;
  long acceptedTokens = ABSENT;
  @Nullable String failure;

  StepFrame(Run run, PlannedStep step, StepChanges changes, @Nullable StepFrame before) {
    this.run = run.index();
    this.stepId = step.stepId();
    this.beginNs = step.beginNs();
    this.plannedNs = step.endNs();
    this.batchSize = step.batchSize();
    this.totalTokens = step.totalTokens();
    this.prefillRequests = step.prefillRequests();
    this.prefillTokens = step.prefillTokens();
    this.runningCount = step.runningCount();
    this.waitingCount = step.waitingCount();
    this.preemptedWaitingCount = step.preemptedWaitingCount();
    this.usableBlocks = run.usableBlocks();
    this.usedBlocks = usableBlocks - step.freeBlocks();
    this.changes = changes;
    this.entries = new @Nullable RequestTimeline[step.hasEntries() ? batchSize : 0];
    this.gapNs = before == null ? ABSENT : before.gapTo(beginNs);
  }

  /** The number of a step in files, from 0; {@link dev.headway.api.Absent#ABSENT} for no step. */
  static long iteration(long stepId) {
    return stepId > 0 ? stepId - 1 : ABSENT;
  }

  long iteration() {
    return iteration(stepId);
  }

  /** Takes over what came of it. */
  void complete(CompletedStep step) {
    done = true;
    executed = step.wasExecuted();
    submitNs = executed ? step.submitNs() : ABSENT;
    outputNs = step.outputNs();
    endNs = step.endNs();
    prepareNs = measured(step.prepareNs());
    forwardNs = measured(step.forwardNs());
    sampleNs = measured(step.sampleNs());
    deviceMemoryUsedBytes = measured(step.deviceMemoryUsedBytes());
    deviceUtilizationPermille = measured(step.deviceUtilizationPermille());
    producedTokens = step.producedTotal();
    drafts = step.drafts();
    draftTokens = step.draftTokens();
    acceptedTokens = step.acceptedTokens();
    failure = step.failure();
  }

  /** What came of it is not in the journal. */
  void giveUp() {
    done = true;
  }

  /** The executor's own figure, or the time between hand-over and output. */
  long forwardDurationNs() {
    return forwardNs != ABSENT ? forwardNs : difference(submitNs, outputNs);
  }

  static long difference(long beginNs, long endNs) {
    return beginNs == ABSENT || endNs == ABSENT ? ABSENT : endNs - beginNs;
  }

  private long gapTo(long nextBeginNs) {
    return endNs == ABSENT || endNs > nextBeginNs ? ABSENT : nextBeginNs - endNs;
  }

  private static long measured(long figure) {
    return figure == ABSENT ? ABSENT : figure;
  }
}
