package dev.headway.events.model;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.QueuedRecord;
import org.jspecify.annotations.Nullable;

/** A request and what has become of it so far. Changed by {@link RunObserver} only. */
public final class ObservedRequest extends RequestTokens {

  private final QueuedRecord queued;

  private Phase phase = Phase.WAITING;
  private long phaseSinceNs;
  private long firstScheduledNs = ABSENT;
  private long firstTokenNs = ABSENT;
  private long lastTokenNs = ABSENT;
  private long endedNs = ABSENT;
  private @Nullable String finishReason;
  private int preemptions;
  private long firstCachedTokens = ABSENT;
  private long latestCachedTokens = ABSENT;
  private int peakBlocks;

  private @Nullable String ownReason;
  private @Nullable ObservedRequest ownBlocker;
  private @Nullable RequestWaits waits;

  /** Where {@link WaitCounts} has counted it. */
  @Nullable String countedReason;

  ObservedRequest(QueuedRecord queued) {
    super(queued.promptTokens());
    this.queued = queued;
    this.phaseSinceNs = queued.queuedNs();
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
    return finishReason;
  }

  /** How often it was put back. */
  public int preemptions() {
    return preemptions;
  }

  /** Tokens that its first admission found in the prefix cache; absent before. */
  public long firstCachedTokens() {
    return firstCachedTokens;
  }

  /** Tokens that its latest admission found in the prefix cache; absent before the first. */
  public long latestCachedTokens() {
    return latestCachedTokens;
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
          "waits must be asked for when the run begins, with ObservedRun.bookWaits: request="
              + id());
    }
    return waits;
  }

  /** Time from arrival to the first token, or absent. */
  public long ttftNs() {
    return firstTokenNs == ABSENT ? ABSENT : firstTokenNs - queued.arrivalNs();
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

  /** Why it waits, if that is its own reason and not the one shared by all. */
  @Nullable String ownReason() {
    return ownReason;
  }

  @Nullable ObservedRequest ownBlocker() {
    return ownBlocker;
  }

  boolean hasFirstToken() {
    return firstTokenNs != ABSENT;
  }

  void block(@Nullable String reason, @Nullable ObservedRequest blocker) {
    ownReason = reason;
    ownBlocker = blocker;
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
    phase = next;
    phaseSinceNs = nowNs;
  }

  void admitted(long nowNs, int cached) {
    latestCachedTokens = cached;
    if (firstScheduledNs == ABSENT) {
      firstScheduledNs = nowNs;
      firstCachedTokens = cached;
    }
    block(null, null);
  }

  void preempted(String reason, int lostTokens) {
    preemptions++;
    lost(lostTokens);
    block(reason, null);
  }

  void firstToken(long nowNs) {
    firstTokenNs = nowNs;
  }

  /** Notes an entry of a plan; says what it is. */
  EntryClass scheduled(int computedBefore, int tokens, int blocks) {
    peakBlocks = Math.max(peakBlocks, blocks);
    return scheduled(computedBefore, tokens);
  }

  void produced(int tokens, long outputNs) {
    produced(tokens);
    lastTokenNs = outputNs;
  }

  void end(long nowNs, String reason) {
    endedNs = nowNs;
    finishReason = reason;
    block(null, null);
  }
}
