package dev.headway.events.model;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.kvcache.KvTransferStage;
import dev.headway.api.step.FirstOfKind;
import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.PlannedStep;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A step: its plan and its outcome. Instants are of the run's clock, in ns. */
public final class StepTimeline {

  private static final int[] NONE_ACCEPTED = {};

  private static final String LOAD_COMMITTED = KvTransferStage.LOAD_COMMITTED.label();
  private static final String STORE_COMMITTED = KvTransferStage.STORE_COMMITTED.label();

  private final RunTimeline run;
  private final StepPlanFigures plan;
  private final boolean entriesKnown;
  private final StepEntries entries;
  private final StepChanges changes;
  private final Map<String, Integer> waitReasons;
  private final @Nullable String headBlocker;
  private final long periodNs;
  private final long gapNs;

  private final int encodedItems;
  private final int encodedEmbeddings;
  private int savedBlocks;
  private int loadedBlocks;
  private boolean done;
  private boolean overlapped;
  private boolean executed;
  private long submitNs = ABSENT;
  private long outputNs = ABSENT;
  private long endNs = ABSENT;
  private long prepareNs = ABSENT;
  private long forwardNs = ABSENT;
  private long sampleNs = ABSENT;
  private int producedTokens;
  private int[] acceptedAt = NONE_ACCEPTED;
  private int drafts;
  private int draftTokens;
  private int acceptedTokens;
  private long deviceMemoryUsedBytes = ABSENT;
  private long deviceUtilizationPermille = ABSENT;
  private FirstOfKind firstOfKind = FirstOfKind.UNKNOWN;
  private long activatedExperts = ABSENT;
  private long measuredScheduleNs = ABSENT;
  private int finishedRequests;
  private long idleNs = ABSENT;
  private @Nullable String failure;

  StepTimeline(
      RunTimeline run,
      PlannedStep step,
      OpenStep batch,
      StepChanges changes,
      long periodNs,
      long gapNs) {
    this.run = run;
    this.plan = StepPlanFigures.of(step);
    this.entriesKnown = step.hasEntries();
    this.entries = step.hasEntries() ? StepEntries.of(step, batch) : StepEntries.NONE;
    this.changes = changes;
    this.encodedItems = step.encodedItems();
    this.encodedEmbeddings = step.encodedEmbeddings();
    this.waitReasons = run.waits().counts(step.waitingCount(), run.sharedReason());
    final RequestTimeline blocker = step.waitingCount() == 0 ? null : run.sharedBlocker();
    this.headBlocker = blocker == null ? null : blocker.id();
    this.periodNs = periodNs;
    this.gapNs = gapNs;
  }

  /** The run it belongs to. */
  public RunTimeline run() {
    return run;
  }

  /** Figures of the plan. */
  public StepPlanFigures plan() {
    return plan;
  }

  /** Whether the entries were recorded; they are not at level summary. */
  public boolean areEntriesKnown() {
    return entriesKnown;
  }

  /** The entries; none if they were not recorded. */
  public StepEntries entries() {
    return entries;
  }

  /** Images and other items that it encodes. */
  public int encodedItems() {
    return encodedItems;
  }

  /** Their embeddings. */
  public int encodedEmbeddings() {
    return encodedEmbeddings;
  }

  /** Totals of the decisions before the plan. */
  public StepChanges changes() {
    return changes;
  }

  /**
   * KV blocks saved to host memory before it computes; 0 where transfers were not recorded, as at
   * levels below full.
   */
  public int savedBlocks() {
    return savedBlocks;
  }

  /** KV blocks loaded from host memory before it computes; 0 as above. */
  public int loadedBlocks() {
    return loadedBlocks;
  }

  /**
   * Waiting requests by reason, after the decision; empty unless {@link RunTimeline#countWaits} was
   * called.
   */
  public Map<String, Integer> waitReasons() {
    return waitReasons;
  }

  /** The request that blocks all waiting ones without an individual reason. */
  public @Nullable String headBlocker() {
    return headBlocker;
  }

  /** From the begin of the previous step to the begin of this one; absent for the first. */
  public long periodNs() {
    return periodNs;
  }

  /** From the end of the previous step to the begin of this one; absent if they overlap. */
  public long gapNs() {
    return gapNs;
  }

  /** Whether it is complete; if not, nothing below is known. */
  public boolean isDone() {
    return done;
  }

  /** Whether another step was in flight when this one was planned or completed. */
  public boolean isOverlapped() {
    return overlapped;
  }

  /** Whether it was submitted to the executor. */
  public boolean wasExecuted() {
    return executed;
  }

  /** Hand-over to the executor, absent if it never was. */
  public long submitNs() {
    return submitNs;
  }

  /** Output available. */
  public long outputNs() {
    return outputNs;
  }

  /** Output processed. */
  public long endNs() {
    return endNs;
  }

  /** To build and upload the batch, or absent. */
  public long prepareNs() {
    return prepareNs;
  }

  /** The executor's own figure, or the time from hand-over to output. */
  public long forwardNs() {
    return forwardNs != ABSENT ? forwardNs : runNs();
  }

  /** The forward pass as the executor timed it, or absent. */
  public long timedForwardNs() {
    return forwardNs;
  }

  /** To sample, or absent. */
  public long sampleNs() {
    return sampleNs;
  }

  /** From hand-over to output, absent if it was not executed. */
  public long runNs() {
    return executed ? outputNs - submitNs : ABSENT;
  }

  /** From output to the end, absent if there is no output. */
  public long updateNs() {
    return outputNs == ABSENT || endNs == ABSENT ? ABSENT : endNs - outputNs;
  }

  /**
   * What scheduling took on the machine: the time from begin to end of it, or in virtual time, in
   * which none passes, what was measured beside; 0 there if nothing was, and before the step is
   * done.
   */
  public long scheduleNs() {
    return measuredScheduleNs != ABSENT ? measuredScheduleNs : plan.scheduleNs();
  }

  /** The same, absent if virtual time says nothing of it. */
  public long knownScheduleNs() {
    return measuredScheduleNs == ABSENT && run.header().virtualTime() ? ABSENT : scheduleNs();
  }

  /** The whole step, absent while it is not done. */
  public long durationNs() {
    return endNs == ABSENT ? ABSENT : endNs - plan.beginNs();
  }

  /** The failure, or null. */
  public @Nullable String failure() {
    return failure;
  }

  /** Tokens produced. */
  public int producedTokens() {
    return producedTokens;
  }

  /** Entries with draft tokens. */
  public int drafts() {
    return drafts;
  }

  /** Draft tokens that were verified. */
  public int draftTokens() {
    return draftTokens;
  }

  /** Those of them accepted. */
  public int acceptedTokens() {
    return acceptedTokens;
  }

  /** Positions behind a decode at which any was accepted. */
  public int acceptedPositions() {
    return acceptedAt.length;
  }

  /** Draft tokens accepted at {@code position} in [0, acceptedPositions). */
  public int acceptedTokensAt(int position) {
    return acceptedAt[position];
  }

  private void takeAcceptedPositions(CompletedStep step) {
    final int positions = step.acceptedPositions();
    acceptedAt = positions == 0 ? NONE_ACCEPTED : new int[positions];
    for (int position = 0; position < positions; position++) {
      acceptedAt[position] = step.acceptedTokensAt(position);
    }
  }

  /** Device memory in use, in bytes, or absent. */
  public long deviceMemoryUsedBytes() {
    return deviceMemoryUsedBytes;
  }

  /** Device utilisation in 1/1000, or absent. */
  public long deviceUtilizationPermille() {
    return deviceUtilizationPermille;
  }

  /** Routed experts that computed for any token, summed over the layers, or absent. */
  public long activatedExperts() {
    return activatedExperts;
  }

  /** Requests that ended since the step before was reported, those of this step included. */
  public int finishedRequests() {
    return finishedRequests;
  }

  /** Whether it made what later steps like it find made; unknown until it is done. */
  public FirstOfKind firstOfKind() {
    return firstOfKind;
  }

  /**
   * Idle time of the executor: from the latest earlier output to the hand-over, at least 0; absent
   * for the first step.
   */
  public long idleNs() {
    return idleNs;
  }

  void transfers(String stage, int blocks) {
    if (stage.equals(STORE_COMMITTED)) {
      savedBlocks += blocks;
    } else if (stage.equals(LOAD_COMMITTED)) {
      loadedBlocks += blocks;
    }
  }

  void overlap() {
    overlapped = true;
  }

  void complete(CompletedStep step, long latestOutputNs, int finished) {
    done = true;
    executed = step.wasExecuted();
    submitNs = executed ? step.submitNs() : ABSENT;
    outputNs = step.outputNs();
    endNs = step.endNs();
    prepareNs = step.prepareNs();
    forwardNs = step.forwardNs();
    sampleNs = step.sampleNs();
    producedTokens = step.producedTotal();
    drafts = step.drafts();
    draftTokens = step.draftTokens();
    acceptedTokens = step.acceptedTokens();
    takeAcceptedPositions(step);
    deviceMemoryUsedBytes = step.deviceMemoryUsedBytes();
    deviceUtilizationPermille = step.deviceUtilizationPermille();
    firstOfKind = step.firstOfKind();
    activatedExperts = step.activatedExperts();
    measuredScheduleNs = step.measuredScheduleNs();
    finishedRequests = finished;
    failure = step.failure();
    if (executed && latestOutputNs != ABSENT) {
      idleNs = Math.max(0, submitNs - latestOutputNs);
    }
  }
}
