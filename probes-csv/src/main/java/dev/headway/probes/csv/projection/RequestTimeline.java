package dev.headway.probes.csv.projection;

import static dev.headway.api.Absent.ABSENT;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One request from its queueing to its end: where it stands, since when, and what that cost.
 *
 * <p>Instants are differences of telescoping sums, never clamped: an instant before its predecessor
 * makes the timeline invalid and leaves the numbers as they were recorded.
 */
final class RequestTimeline {

  /** Neighbours in the one {@link RequestList} it stands in. */
  @Nullable RequestTimeline previous;

  @Nullable RequestTimeline next;

  private final RequestIdentity identity;
  private final WaitAccount waits;
  private final QueueHistory queue = new QueueHistory();
  private final Progress progress;

  private RequestState state = RequestState.WAITING;
  private long stateSinceNs;
  private @Nullable Reason ownReason;
  private @Nullable RequestIdentity blocker;

  private long firstScheduledNs = ABSENT;
  private long firstTokenNs = ABSENT;
  private long waitedAtFirstTokenNs;
  private long runningNs;
  private boolean valid = true;

  private int preemptions;
  private int evictions;
  private boolean evictedSincePreemption;
  private int cachedTokens;
  private int resumedCachedTokens;
  private int hostCachedTokens;
  private long lostTokens;

  private @Nullable RequestState rowState;
  private @Nullable Reason rowReason;

  RequestTimeline(RequestIdentity identity, Reason initial) {
    this.identity = identity;
    this.waits = new WaitAccount(initial);
    this.progress = new Progress(identity.promptTokens());
    this.stateSinceNs = identity.queuedNs();
    waits.begin(identity.queuedNs(), initial);
  }

  /** It gets a seat; returns the time spent waiting since it was queued or preempted. */
  long admit(long nowNs, int cached, int hostCached, int lost) {
    final long durationNs = enter(RequestState.RUNNING, nowNs);
    waits.end(nowNs);
    clearOwnReason();
    if (firstScheduledNs == ABSENT) {
      firstScheduledNs = nowNs;
      cachedTokens = cached;
    } else {
      resumedCachedTokens += cached;
    }
    hostCachedTokens += hostCached;
    lostTokens += lost;
    return durationNs;
  }

  /** It is put back; returns the time spent running since its admission. */
  long preempt(long nowNs, Reason reason, int computedTokens) {
    final long durationNs = enter(RequestState.PREEMPTED, nowNs);
    waits.begin(nowNs, reason);
    ownReason = reason;
    preemptions++;
    evictedSincePreemption = false;
    progress.preempted(computedTokens);
    return durationNs;
  }

  /** It ends, wherever it stands; returns the time spent in the state it leaves. */
  long end(long nowNs) {
    final long durationNs = enter(RequestState.COMPLETED, nowNs);
    if (waits.isOpen()) {
      waits.end(nowNs);
    }
    clearOwnReason();
    progress.releaseBlocks();
    return durationNs;
  }

  /** Its cached work is gone; counted once per preemption. Returns whether that was news. */
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
    waitedAtFirstTokenNs = waits.totalNs(nowNs);
  }

  void block(Reason reason, @Nullable RequestIdentity blockedBy) {
    ownReason = reason;
    blocker = blockedBy;
  }

  void clearOwnReason() {
    ownReason = null;
    blocker = null;
  }

  /** Records are missing, so its times cannot be trusted. */
  void distrust() {
    valid = false;
  }

  /** Remembers what a row says; returns whether that differs from the row before. */
  boolean changesRow(@Nullable Reason reason) {
    final boolean changed = rowState != state || !Objects.equals(rowReason, reason);
    rowState = state;
    rowReason = reason;
    return changed;
  }

  /** Whether every stamp is at or after its predecessor and the running time adds up. */
  boolean isValid(long completionNs) {
    return valid
        && inOrder(identity.arrivalNs(), identity.queuedNs())
        && inOrder(identity.queuedNs(), firstScheduledNs)
        && inOrder(firstScheduledNs, firstTokenNs)
        && inOrder(firstTokenNs, progress.lastTokenNs())
        && inOrder(progress.lastTokenNs(), completionNs)
        && (completionNs == ABSENT || runningNs == executionNs(completionNs));
  }

  /** Time in the engine minus time waiting. */
  long executionNs(long completionNs) {
    return completionNs - identity.queuedNs() - waits.totalNs();
  }

  RequestIdentity identity() {
    return identity;
  }

  WaitAccount waits() {
    return waits;
  }

  QueueHistory queue() {
    return queue;
  }

  Progress progress() {
    return progress;
  }

  RequestState state() {
    return state;
  }

  long stateSinceNs() {
    return stateSinceNs;
  }

  @Nullable Reason ownReason() {
    return ownReason;
  }

  @Nullable RequestIdentity blocker() {
    return blocker;
  }

  long firstScheduledNs() {
    return firstScheduledNs;
  }

  long firstTokenNs() {
    return firstTokenNs;
  }

  /** Time waited before the first token; meaningful if there is one. */
  long waitedAtFirstTokenNs() {
    return waitedAtFirstTokenNs;
  }

  int preemptions() {
    return preemptions;
  }

  int evictions() {
    return evictions;
  }

  int cachedTokens() {
    return cachedTokens;
  }

  int resumedCachedTokens() {
    return resumedCachedTokens;
  }

  /** Of both, those loaded from host memory. */
  int hostCachedTokens() {
    return hostCachedTokens;
  }

  long lostTokens() {
    return lostTokens;
  }

  private long enter(RequestState nextState, long nowNs) {
    final long durationNs = nowNs - stateSinceNs;
    valid &= durationNs >= 0;
    if (state == RequestState.RUNNING) {
      runningNs += durationNs;
    }
    state = nextState;
    stateSinceNs = nowNs;
    return durationNs;
  }

  private static boolean inOrder(long earlierNs, long laterNs) {
    return earlierNs == ABSENT || laterNs == ABSENT || earlierNs <= laterNs;
  }
}
