package dev.headway.events.model;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.BlockedRecord;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.QueuedRecord;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A request and its history so far. Changed by {@link RunModel} only. */
public final class RequestTimeline extends RequestTokens {

  private static final long[] NONE = {};

  private final QueuedRecord queued;
  private final Ingress ingress;

  private Phase phase = Phase.WAITING;
  private @Nullable Phase leftPhase;
  private long phaseSinceNs;
  private long stateSinceNs;
  private long leftStateNs = ABSENT;
  private long runningNs;
  private long firstScheduledNs = ABSENT;
  private long firstTokenNs = ABSENT;
  private long lastTokenNs = ABSENT;
  private @Nullable Object attachment;
  private long endedNs = ABSENT;
  private @Nullable FinishedRecord end;
  private int preemptions;
  private int inputWaits;
  private int evictions;
  private boolean evictedSincePreemption;
  private long firstCachedTokens = ABSENT;
  private int firstHostCachedTokens;
  private long latestCachedTokens = ABSENT;
  private int resumedCachedTokens;
  private int hostCachedTokens;
  private int externalCachedTokens;
  private int firstExternalTokens;
  private int evictedTokens;
  private int heldBlocks;
  private int cachedBlocks;
  private long[] storedBlocks = NONE;
  private int storedBlockCount;
  private int evictedBlocks;
  private int peakBlocks;
  private long waitedBeforeFirstTokenNs;
  private boolean entriesKnown = true;
  private boolean outputsKnown = true;
  private boolean trusted = true;

  private @Nullable String ownReason;
  private @Nullable RequestTimeline ownBlocker;
  private @Nullable BlockedRecord refusal;
  private @Nullable RequestWaits waits;

  /** Its neighbours in the {@link RequestList} it is in. */
  @Nullable RequestTimeline previous;

  @Nullable RequestTimeline next;

  /** The reason under which {@link WaitCounts} has counted it. */
  @Nullable String countedReason;

  RequestTimeline(QueuedRecord queued, Ingress ingress) {
    super(queued.promptTokens());
    this.queued = queued;
    this.ingress = ingress;
    this.phaseSinceNs = queued.queuedNs();
    this.stateSinceNs = queued.queuedNs();
  }

  /** The record of its queueing. */
  public QueuedRecord queued() {
    return queued;
  }

  /** What the engine did between its arrival and its queueing. */
  public Ingress ingress() {
    return ingress;
  }

  /** Order of arrival in its run, from 0. */
  public long number() {
    return queued.requestNumber();
  }

  /** Its id, chosen by the caller. */
  public String id() {
    return queued.requestId();
  }

  /** Its phase. */
  public Phase phase() {
    return phase;
  }

  /** The phase before, or null before the first change. */
  public @Nullable Phase leftPhase() {
    return leftPhase;
  }

  /** Start of the phase. */
  public long phaseSinceNs() {
    return phaseSinceNs;
  }

  /** Instant since which it has been waiting, running or ended. */
  public long stateSinceNs() {
    return stateSinceNs;
  }

  /** Duration of the preceding waiting or running time; absent before the first change. */
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

  /** What the reader of its run has attached, or null. */
  public @Nullable Object attachment() {
    return attachment;
  }

  /** Attaches what a reader needs per request, so that it needs no table of its own. */
  public void attach(Object readersOwn) {
    attachment = readersOwn;
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

  /** How often it was preempted. */
  public int preemptions() {
    return preemptions;
  }

  /** How often it has waited for further input, as a session. */
  public int inputWaits() {
    return inputWaits;
  }

  /** Preemptions that lost computed KV. */
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

  /** Of the tokens found at all admissions, those that a KV connector has loaded. */
  public int externalCachedTokens() {
    return externalCachedTokens;
  }

  /** Of the tokens found at the first admission, those of the host tier and of a KV connector. */
  public int firstOutsideTokens() {
    return firstHostCachedTokens + firstExternalTokens;
  }

  /** Of the tokens found at all admissions, those found in the host tier only, and loaded. */
  public int hostCachedTokens() {
    return hostCachedTokens;
  }

  /** Blocks computed for it that others have taken since its latest preemption. */
  public int evictedBlocks() {
    return evictedBlocks;
  }

  /** Tokens whose KV was lost at a resumption, summed. */
  public int evictedTokens() {
    return evictedTokens;
  }

  /** KV blocks it holds, as of the latest step that scheduled it. */
  public int heldBlocks() {
    return heldBlocks;
  }

  /**
   * Its blocks found in the prefix cache or made findable since its latest admission, in the first
   * group of layers.
   */
  public int cachedBlocks() {
    return cachedBlocks;
  }

  /**
   * Whether every step that scheduled it is known with its entries; if not, figures about scheduled
   * tokens and blocks are incomplete.
   */
  public boolean areEntriesKnown() {
    return entriesKnown;
  }

  /** Whether every token it got is known; if not, tokens and their instants are missing. */
  public boolean areOutputsKnown() {
    return outputsKnown;
  }

  /** Time in the queue before its first token; 0 without one, or if no listener asked for waits. */
  public long waitedBeforeFirstTokenNs() {
    return waitedBeforeFirstTokenNs;
  }

  /**
   * Whether every instant is at or after its predecessor, no record of it is missing, and, if waits
   * were asked for and it has ended, its running and waiting times add up to its life.
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
   * Its waits by cause.
   *
   * @throws IllegalStateException if no listener asked for waits
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
   * Whether its first token, or its end without one, came after its time-to-first-token target;
   * false without a target.
   */
  public boolean missedTtftTarget() {
    final long untilNs = firstTokenNs == ABSENT ? endedNs : firstTokenNs;
    return queued.ttftTargetNs() != ABSENT
        && untilNs != ABSENT
        && untilNs - queued.arrivalNs() > queued.ttftTargetNs();
  }

  /**
   * Its output tokens: as its end record states, or counted over the steps if there is no such
   * record or figure. The record of a session has those of its latest turn only.
   */
  public int finalOutputTokens() {
    return inputWaits > 0 || end == null || end.outputTokens() == ABSENT
        ? outputTokens()
        : (int) end.outputTokens();
  }

  /**
   * Time per output token after the first, rounded down, or absent; absent for a session that has
   * waited for input.
   */
  public long tpotNs() {
    return outputTokens() <= 1 || inputWaits > 0 || firstTokenNs == ABSENT || lastTokenNs == ABSENT
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

  /** That reason, {@code head_of_line} resolved as {@link Cause#root()}; null without a reason. */
  public @Nullable String ownRoot() {
    return ownReason == null ? null : Causes.rootOf(ownReason, ownBlocker);
  }

  /** The request that blocks it for that reason, or null. */
  public @Nullable RequestTimeline ownBlocker() {
    return ownBlocker;
  }

  /**
   * The refusal behind its individual wait reason, with the missing amount; null if it has no such
   * reason or the reason is a preemption.
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

  /** Its waits, to continue with another cause or to begin. */
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
    leftPhase = phase;
    phase = next;
    phaseSinceNs = nowNs;
  }

  /** A turn of a session is over: it keeps its blocks, and waits. */
  void waitsForInput() {
    inputWaits++;
  }

  /** It is a session that waits, and has lost its blocks. */
  void gaveBack(int lostTokens) {
    preemptions++;
    evictedSincePreemption = false;
    heldBlocks = 0;
    cachedBlocks = 0;
    lost(lostTokens);
  }

  /** It is a session, and is admitted with the blocks that it has kept. */
  void admittedAgain(AdmittedRecord record) {
    computedUpTo(record.cachedTokens());
    computed(record.cachedTokens());
    block(null, null);
  }

  void admitted(long nowNs, AdmittedRecord record, int blockSize) {
    latestCachedTokens = record.cachedTokens();
    if (firstScheduledNs == ABSENT) {
      firstScheduledNs = nowNs;
      firstCachedTokens = latestCachedTokens;
      firstHostCachedTokens = record.hostCachedTokens();
      firstExternalTokens = record.externalTokens();
    } else {
      resumedCachedTokens += record.cachedTokens();
    }
    hostCachedTokens += record.hostCachedTokens();
    externalCachedTokens += record.externalTokens();
    evictedTokens += record.evictedTokens();
    cachedBlocks = record.cachedTokens() / blockSize;
    computed(record.cachedTokens());
    block(null, null);
  }

  void preempted(String reason, int lostTokens) {
    preemptions++;
    evictedSincePreemption = false;
    evictedBlocks = 0;
    heldBlocks = 0;
    cachedBlocks = 0;
    lost(lostTokens);
    block(reason, null);
  }

  /**
   * Notes that its cached KV was lost, once per preemption; returns whether it was not noted
   * before.
   */
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

  /** Some of its blocks became findable: the first {@code count} of these. */
  void stored(long[] contentHashes, int count) {
    cachedBlocks += count;
    final int needed = storedBlockCount + count;
    if (needed > storedBlocks.length) {
      storedBlocks = Arrays.copyOf(storedBlocks, Math.max(needed, 2 * storedBlocks.length));
    }
    System.arraycopy(contentHashes, 0, storedBlocks, storedBlockCount, count);
    storedBlockCount = needed;
  }

  /** Blocks it has made findable; one that was taken and computed again counts again. */
  int storedBlocks() {
    return storedBlockCount;
  }

  /** The content hash of one of them. */
  long storedBlock(int index) {
    return storedBlocks[index];
  }

  /** One of its cached blocks was taken while it waits. */
  void losesBlock() {
    evictedBlocks++;
  }

  /** Records are contradictory or missing: its times are unreliable. */
  void distrust() {
    trusted = false;
  }

  /** Records of steps may be missing. */
  void missesEntries() {
    entriesKnown = false;
    outputsKnown = false;
    trusted = false;
  }

  /** The completion of a step that scheduled it is missing. */
  void missesOutputs() {
    outputsKnown = false;
  }

  /** Notes an entry of a plan; returns its class. */
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

  void produced(long stepId, int tokens, long outputNs) {
    produced(stepId, tokens);
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
