package dev.headway.probes.csv.track;

import dev.headway.probes.chronicle.record.JournalVisitor;
import dev.headway.probes.chronicle.record.JournalVisitor.PlannedStep;
import dev.headway.probes.chronicle.record.JournalVisitor.QueuedRequest;
import dev.headway.probes.csv.table.Table;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A request and what has become of it so far. Written by the tracker only. */
public final class TrackedRequest {

  private final QueuedRequest request;

  private Phase phase = Phase.WAITING;
  private long phaseSinceNs;
  private long firstScheduledNs = Table.ABSENT;
  private long firstTokenNs = Table.ABSENT;
  private long lastTokenNs = Table.ABSENT;
  private long endedNs = Table.ABSENT;
  private @Nullable String finishReason;
  private int preemptions;
  private int cachedTokens;
  private long outputTokens;
  private long scheduledTokens;
  private long recomputedTokens;
  private int highWater;
  private int peakBlocks;

  private @Nullable String ownReason;
  private @Nullable TrackedRequest ownBlocker;

  /** What the wait book keeps here. */
  final WaitState waits = new WaitState();

  TrackedRequest(QueuedRequest request) {
    this.request = request;
    this.phaseSinceNs = request.queuedNs();
  }

  /** Order of arrival in its run. */
  public long number() {
    return request.number();
  }

  /** The caller's name for it. */
  public String id() {
    return request.requestId();
  }

  /** On whose account it runs, or null. */
  public @Nullable String tenant() {
    return request.tenant();
  }

  /** Smaller is more important. */
  public int priority() {
    return request.priority();
  }

  /** Tokens of its prompt. */
  public int promptTokens() {
    return request.promptTokens();
  }

  /** Most tokens it may make. */
  public int maxTokens() {
    return request.maxTokens();
  }

  /** Instant of submission. */
  public long arrivalNs() {
    return request.arrivalNs();
  }

  /** Instant at which it entered the queue. */
  public long queuedNs() {
    return request.queuedNs();
  }

  /** How soon it wants its first token, or {@link Table#ABSENT}. */
  public long ttftTargetNs() {
    return request.ttftTargetNs() == JournalVisitor.ABSENT ? Table.ABSENT : request.ttftTargetNs();
  }

  /** What it is doing. */
  public Phase phase() {
    return phase;
  }

  /** Since when. */
  public long phaseSinceNs() {
    return phaseSinceNs;
  }

  /** Instant of its first admission, or {@link Table#ABSENT}. */
  public long firstScheduledNs() {
    return firstScheduledNs;
  }

  /** Instant of its first token, or {@link Table#ABSENT}. */
  public long firstTokenNs() {
    return firstTokenNs;
  }

  /** Instant of its latest token, or {@link Table#ABSENT}. */
  public long lastTokenNs() {
    return lastTokenNs;
  }

  /** Instant of its end, or {@link Table#ABSENT}. */
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

  /** Tokens that its first admission found in the prefix cache. */
  public int cachedTokens() {
    return cachedTokens;
  }

  /** Tokens it made. */
  public long outputTokens() {
    return outputTokens;
  }

  /** Tokens computed for it, again and again ones included. */
  public long scheduledTokens() {
    return scheduledTokens;
  }

  /** Those of them that had been computed before. */
  public long recomputedTokens() {
    return recomputedTokens;
  }

  /** Most KV blocks it held in a step. */
  public int peakBlocks() {
    return peakBlocks;
  }

  /** The cause of its wait; meaningful while it waits. */
  public Cause cause() {
    return waits.cause();
  }

  /** Whether it waits for the reason that all unexamined requests share. */
  public boolean sharesCause() {
    return waits.shares;
  }

  /** Time waited in closed stays. */
  public long waitedNs() {
    return waits.totalNs;
  }

  /** Its longest closed stay. */
  public long longestStayNs() {
    return waits.longestNs;
  }

  /** Time waited for a cause in closed stays. */
  public long waitedForNs(Cause cause) {
    return cause.index() < waits.totalByCauseNs.length ? waits.totalByCauseNs[cause.index()] : 0;
  }

  /** Time from arrival to the first token, or {@link Table#ABSENT}. */
  public long ttftNs() {
    return firstTokenNs == Table.ABSENT ? Table.ABSENT : firstTokenNs - arrivalNs();
  }

  /** Time per output token after the first, rounded down, or {@link Table#ABSENT}. */
  public long tpotNs() {
    return outputTokens <= 1 || firstTokenNs == Table.ABSENT || lastTokenNs == Table.ABSENT
        ? Table.ABSENT
        : Math.floorDiv(lastTokenNs - firstTokenNs, outputTokens - 1);
  }

  /** Time from arrival to the end, or {@link Table#ABSENT}. */
  public long endToEndNs() {
    return endedNs == Table.ABSENT ? Table.ABSENT : endedNs - arrivalNs();
  }

  @Nullable String ownReason() {
    return ownReason;
  }

  @Nullable TrackedRequest ownBlocker() {
    return ownBlocker;
  }

  void block(@Nullable String reason, @Nullable TrackedRequest blocker) {
    ownReason = reason;
    ownBlocker = blocker;
  }

  void enter(Phase next, long nowNs) {
    phase = next;
    phaseSinceNs = nowNs;
  }

  void admitted(long nowNs, int cached) {
    if (firstScheduledNs == Table.ABSENT) {
      firstScheduledNs = nowNs;
      cachedTokens = cached;
    }
    block(null, null);
  }

  void preempted() {
    preemptions++;
  }

  void firstToken(long nowNs) {
    firstTokenNs = nowNs;
  }

  void scheduled(PlannedStep step, int entry) {
    final int computed = step.computedTokens(entry);
    final int tokens = step.scheduledTokens(entry);
    scheduledTokens += tokens;
    recomputedTokens += Math.max(0, Math.min(computed + tokens, highWater) - computed);
    highWater = Math.max(highWater, computed + tokens);
    peakBlocks = Math.max(peakBlocks, step.blockCount(entry));
  }

  void produced(int tokens, long outputNs) {
    outputTokens += tokens;
    lastTokenNs = outputNs;
  }

  void end(long nowNs, String reason) {
    endedNs = nowNs;
    finishReason = reason;
    block(null, null);
  }

  /** The wait book's notes about a request. */
  static final class WaitState {
    private @Nullable Cause cause;
    boolean open;
    boolean shares;
    boolean dirty;
    boolean afterPreemption;
    long stayFromNs;
    long causeSinceNs;
    long[] atJoinNs = new long[0];
    long[] stayByCauseNs = new long[0];
    long[] totalByCauseNs = new long[0];
    long totalNs;
    long longestNs;
    @Nullable String lastBlocker;

    Cause cause() {
      if (cause == null) {
        throw new IllegalStateException("a request has a cause once it was queued");
      }
      return cause;
    }

    void cause(Cause next) {
      cause = next;
    }

    void book(int index, long ns) {
      if (index >= stayByCauseNs.length) {
        stayByCauseNs = Arrays.copyOf(stayByCauseNs, index + 1);
      }
      stayByCauseNs[index] += ns;
    }

    /** Adds the stay to the total and starts another. */
    long[] closeStay(long lengthNs) {
      if (totalByCauseNs.length < stayByCauseNs.length) {
        totalByCauseNs = Arrays.copyOf(totalByCauseNs, stayByCauseNs.length);
      }
      for (int i = 0; i < stayByCauseNs.length; i++) {
        totalByCauseNs[i] += stayByCauseNs[i];
      }
      totalNs += lengthNs;
      longestNs = Math.max(longestNs, lengthNs);
      final long[] closed = stayByCauseNs;
      stayByCauseNs = new long[0];
      open = false;
      return closed;
    }
  }
}
