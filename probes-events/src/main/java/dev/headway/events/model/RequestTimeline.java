package dev.headway.events.model;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.BlockedRecord;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.QueuedRecord;
import org.jspecify.annotations.Nullable;

/** A request and what has become of it so far. Changed by {@link RunModel} only. */
public final class RequestTimeline extends RequestTokens {

  private final QueuedRecord queued;

  private Phase phase = Phase.WAITING;
  private long phaseSinceNs;
  private long stateSinceNs;
  private long leftStateNs = ABSENT;
  private long runningNs;
  private long firstScheduledNs = ABSENT;
  private long firstTokenNs = ABSENT;
  private long lastTokenNs = ABSENT;
  private long endedNs = ABSENT;
  private @Nullable FinishedRecord end;
  private int preemptions;
  private int evictions;
  private boolean evictedSincePreemption;
  private long firstCachedTokens = ABSENT;
  private int firstHostCachedTokens;
  private long latestCachedTokens = ABSENT;
  private int resumedCachedTokens;
  private int hostCachedTokens;
  private int evictedTokens;
  private int heldBlocks;
  private int cachedBlocks;
  private int peakBlocks;
  private long waitedBeforeFirstTokenNs;
  private boolean entriesKnown = true;
  private boolean outputsKnown = true;
  private boolean trusted = true;

  private @Nullable String ownReason;
  private @Nullable RequestTimeline ownBlocker;
  private @Nullable BlockedRecord refusal;
  private @Nullable RequestWaits waits;

  /** Where {@link WaitCounts} has counted it. */
  @Nullable String countedReason;

  RequestTimeline(QueuedRecord queued) {
    super(queued.promptTokens());
    this.queued = queued;
    this.phaseSinceNs = queued.queuedNs();
    this.stateSinceNs = queued.queuedNs();
  }

  /** What it came with. */
  public QueuedRecord queued() {
    return queued;
  }

  /** Order of arrival in its run, from 0. */
  public long number() {
    return queued.requestNumber();
  }

  /** The caller's name for it. */
  public String id() {
    return queued.requestId();
  }

  /** What it is doing. */
  public Phase phase() {
    return phase;
  }

  /** Since when. */
  public long phaseSinceNs() {
    return phaseSinceNs;
  }

  /** Since when it has been waiting, running or ended. */
  public long stateSinceNs() {
    return stateSinceNs;
  }

  /** For how long it had been waiting or running before that; absent before the first change. */
  public long leftStateNs() {
    return leftStateNs;
  }

  /** Instant of its first admission, the end of scheduling of that step; absent before. */
  public long firstScheduledNs() {
    return firstScheduledNs;
  }

  /** Instant of its first token, or absent. */
  public long firstTokenNs() {
    return firstTokenNs;
  }

  /** Instant of its latest token, or absent. */
  public long lastTokenNs() {
    return lastTokenNs;
  }

  /** Instant of its end, or absent. */
  public long endedNs() {
    return endedNs;
  }

  /** How it ended, or null. */
  public @Nullable String finishReason() {
    return end == null ? null : end.reason();
  }

  /** How it ended, or null. */
  public @Nullable FinishedRecord end() {
    return end;
  }

  /** How often it was put back. */
  public int preemptions() {
    return preemptions;
  }

  /** Preemptions after which KV that it had computed was lost. */
  public int evictions() {
    return evictions;
  }

  /** Tokens that its first admission found in the prefix cache; absent before. */
  public long firstCachedTokens() {
    return firstCachedTokens;
  }

  /** Of those, tokens found in the host tier only, and loaded. */
  public int firstHostCachedTokens() {
    return firstHostCachedTokens;
  }

  /** Tokens that its latest admission found in the prefix cache; absent before the first. */
  public long latestCachedTokens() {
    return latestCachedTokens;
  }

  /** Tokens that its resumptions found in the prefix cache, summed. */
  public int resumedCachedTokens() {
    return resumedCachedTokens;
  }

  /** Of the tokens found at all admissions, those found in the host tier only, and loaded. */
  public int hostCachedTokens() {
    return hostCachedTokens;
  }

  /** Tokens whose KV was gone at a resumption, summed. */
  public int evictedTokens() {
    return evictedTokens;
  }

  /** KV blocks it holds, as of the latest step it took part in. */
  public int heldBlocks() {
    return heldBlocks;
  }

  /**
   * Blocks of it found in the prefix cache or made findable since its latest admission, in the
   * first group of layers.
   */
  public int cachedBlocks() {
    return cachedBlocks;
  }

  /**
   * Whether every step that it took part in is known with its entries; if not, figures about
   * scheduled tokens and blocks have a part missing.
   */
  public boolean areEntriesKnown() {
    return entriesKnown;
  }

  /** Whether every token it got is known; if not, tokens and their instants are missing. */
  public boolean areOutputsKnown() {
    return outputsKnown;
  }

  /** Time in the queue before its first token; 0 without one, or if nobody asked for waits. */
  public long waitedBeforeFirstTokenNs() {
    return waitedBeforeFirstTokenNs;
  }

  /**
   * Whether every instant is at or after its predecessor, no record of it is missing, and, if waits
   * were asked for and it has ended, the time it ran is the time it did not wait.
   */
  public boolean isTimingValid() {
    return trusted
        && inOrder(queued.arrivalNs(), queued.queuedNs())
        && inOrder(queued.queuedNs(), firstScheduledNs)
        && inOrder(firstScheduledNs, firstTokenNs)
        && inOrder(firstTokenNs, lastTokenNs)
        && inOrder(lastTokenNs, endedNs)
        && (endedNs == ABSENT || waits == null || runningNs == executionNs());
  }

  /** Time running, absent before its end. */
  public long executionNs() {
    return endedNs == ABSENT ? ABSENT : endedNs - queued.queuedNs() - waits().totalNs();
  }

  /** Most KV blocks it held in a step. */
  public int peakBlocks() {
    return peakBlocks;
  }

  /** Outputs it may still ask for. */
  public int owedTokens() {
    return Math.max(0, queued.maxTokens() - outputTokens());
  }

  /**
   * What it has waited for.
   *
   * @throws IllegalStateException if nobody asked for that
   */
  public RequestWaits waits() {
    if (waits == null) {
      throw new IllegalStateException(
          "waits must be asked for when the run begins, with RunTimeline.bookWaits: request="
              + id());
    }
    return waits;
  }

  /** Time from arrival to the first token, or absent. */
  public long ttftNs() {
    return firstTokenNs == ABSENT ? ABSENT : firstTokenNs - queued.arrivalNs();
  }

  /**
   * Whether its first token, or its end without one, came after the time it had wanted one by;
   * false without such a target.
   */
  public boolean missedTtftTarget() {
    final long untilNs = firstTokenNs == ABSENT ? endedNs : firstTokenNs;
    return queued.ttftTargetNs() != ABSENT
        && untilNs != ABSENT
        && untilNs - queued.arrivalNs() > queued.ttftTargetNs();
  }

  /** Tokens of its answer: as its end says, or as the steps do if it has none or does not say. */
  public int finalOutputTokens() {
    return end == null || end.outputTokens() == ABSENT ? outputTokens() : (int) end.outputTokens();
  }

  /** Time per output token after the first, rounded down, or absent. */
  public long tpotNs() {
    return outputTokens() <= 1 || firstTokenNs == ABSENT || lastTokenNs == ABSENT
        ? ABSENT
        : Math.floorDiv(lastTokenNs - firstTokenNs, (long) outputTokens() - 1);
  }

  /** Time from arrival to the end, or absent. */
  public long endToEndNs() {
    return endedNs == ABSENT ? ABSENT : endedNs - queued.arrivalNs();
  }

  /** Its individual wait reason, or null if it shares the reason of the others or does not wait. */
  public @Nullable String ownReason() {
    return ownReason;
  }

  /** The request in its way by that reason, or null. */
  public @Nullable RequestTimeline ownBlocker() {
    return ownBlocker;
  }

  /**
   * The refusal that gave it its individual wait reason, with what was missing; null if it has no
   * such reason or a preemption gave it.
   */
  public @Nullable BlockedRecord refusal() {
    return refusal;
  }

  boolean hasFirstToken() {
    return firstTokenNs != ABSENT;
  }

  void block(@Nullable String reason, @Nullable RequestTimeline blocker) {
    ownReason = reason;
    ownBlocker = blocker;
    refusal = null;
  }

  void refuse(BlockedRecord record, @Nullable RequestTimeline blocker) {
    block(record.reason(), blocker);
    refusal = record;
  }

  /** Its waits, which go on for another cause or begin. */
  RequestWaits waitsFrom(Cause cause) {
    if (waits == null) {
      waits = new RequestWaits(cause);
    } else {
      waits.cause(cause);
    }
    return waits;
  }

  void enter(Phase next, long nowNs) {
    if (next == Phase.ENDED || phase.isWaiting() != next.isWaiting()) {
      leftStateNs = nowNs - stateSinceNs;
      trusted &= leftStateNs >= 0;
      runningNs += phase.isRunning() ? leftStateNs : 0;
      stateSinceNs = nowNs;
    }
    phase = next;
    phaseSinceNs = nowNs;
  }

  void admitted(long nowNs, AdmittedRecord record, int blockSize) {
    latestCachedTokens = record.cachedTokens();
    if (firstScheduledNs == ABSENT) {
      firstScheduledNs = nowNs;
      firstCachedTokens = latestCachedTokens;
      firstHostCachedTokens = record.hostCachedTokens();
    } else {
      resumedCachedTokens += record.cachedTokens();
    }
    hostCachedTokens += record.hostCachedTokens();
    evictedTokens += record.evictedTokens();
    cachedBlocks = record.cachedTokens() / blockSize;
    computed(record.cachedTokens());
    block(null, null);
  }

  void preempted(String reason, int lostTokens) {
    preemptions++;
    evictedSincePreemption = false;
    heldBlocks = 0;
    cachedBlocks = 0;
    lost(lostTokens);
    block(reason, null);
  }

  /** Its cached work is gone, counted once per preemption; returns whether that was news. */
  boolean evict() {
    if (evictedSincePreemption) {
      return false;
    }
    evictedSincePreemption = true;
    evictions++;
    return true;
  }

  void firstToken(long nowNs) {
    firstTokenNs = nowNs;
    waitedBeforeFirstTokenNs = waits == null ? 0 : waits.totalNs(nowNs);
  }

  /** Blocks of it became findable. */
  void stored(int blocks) {
    cachedBlocks += blocks;
  }

  /** Records that contradict each other, or are missing: its times cannot be trusted. */
  void distrust() {
    trusted = false;
  }

  /** Records of steps may be missing. */
  void missesEntries() {
    entriesKnown = false;
    outputsKnown = false;
    trusted = false;
  }

  /** What came of a step it took part in is missing. */
  void missesOutputs() {
    outputsKnown = false;
  }

  /** Notes an entry of a plan; returns what it is. */
  EntryClass scheduled(PlannedStep step, int entry) {
    heldBlocks = step.blockCount(entry);
    peakBlocks = Math.max(peakBlocks, heldBlocks);
    return scheduled(
        step.stepId(),
        step.phase(entry),
        step.computedTokens(entry),
        step.scheduledTokens(entry),
        step.samples(entry));
  }

  void produced(int tokens, long outputNs) {
    produced(tokens);
    lastTokenNs = outputNs;
  }

  void end(FinishedRecord finished) {
    endedNs = finished.atNs();
    end = finished;
    heldBlocks = 0;
    block(null, null);
  }

  private static boolean inOrder(long earlierNs, long laterNs) {
    return earlierNs == ABSENT || laterNs == ABSENT || earlierNs <= laterNs;
  }
}
