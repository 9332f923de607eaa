package dev.headway.probes.csv.observe;

import dev.headway.probes.chronicle.record.JournalVisitor;
import dev.headway.probes.chronicle.record.JournalVisitor.QueuedRequest;
import org.jspecify.annotations.Nullable;

/** A request that waits or runs. Changed by {@link RunObserver} only. */
public final class LiveRequest {

  private final QueuedRequest queued;

  private boolean running;
  private @Nullable String ownReason;
  private long cachedTokens = JournalVisitor.ABSENT;
  private long firstScheduledNs = JournalVisitor.ABSENT;
  private int preemptions;
  private int computedTokens;
  private int recomputeUntil;
  private int outputTokens;

  LiveRequest(QueuedRequest queued) {
    this.queued = queued;
  }

  /** What it came with. */
  public QueuedRequest queued() {
    return queued;
  }

  /** Whether it was admitted and not put back since. */
  public boolean isRunning() {
    return running;
  }

  /** Tokens that its latest admission found in the prefix cache; absent before the first. */
  public long cachedTokens() {
    return cachedTokens;
  }

  /** Instant of its first admission, the end of scheduling of that step; absent before. */
  public long firstScheduledNs() {
    return firstScheduledNs;
  }

  /** How often it was put back. */
  public int preemptions() {
    return preemptions;
  }

  /** Tokens that came out so far. */
  public int outputTokens() {
    return outputTokens;
  }

  /** Tokens known: the prompt and what came out. */
  public int knownTokens() {
    return queued.promptTokens() + outputTokens;
  }

  /** Outputs it may still ask for. */
  public int owedTokens() {
    return Math.max(0, queued.maxTokens() - outputTokens);
  }

  /** Why it waits, if that is its own reason and not the one shared by all. */
  @Nullable String ownReason() {
    return ownReason;
  }

  void ownReason(@Nullable String reason) {
    ownReason = reason;
  }

  void admit(int cached) {
    running = true;
    cachedTokens = cached;
    ownReason = null;
  }

  void scheduledFirst(long atNs) {
    if (firstScheduledNs == JournalVisitor.ABSENT) {
      firstScheduledNs = atNs;
    }
  }

  void preempt(String reason) {
    running = false;
    ownReason = reason;
    preemptions++;
    recomputeUntil = Math.max(recomputeUntil, computedTokens);
  }

  /** Notes an entry of a plan; says what it is. */
  EntryClass schedule(int computedBefore, int tokens) {
    computedTokens = computedBefore + tokens;
    if (computedBefore < recomputeUntil) {
      return EntryClass.RECOMPUTE;
    }
    return computedBefore < queued.promptTokens() ? EntryClass.PREFILL : EntryClass.DECODE;
  }

  /** How many tokens of a chunk were computed before a preemption took them. */
  int recomputed(int computedBefore, int tokens) {
    return Math.max(0, Math.min(computedBefore + tokens, recomputeUntil) - computedBefore);
  }

  /** Tokens came out; draft tokens that were wrong are computed no more. */
  void produce(int tokens) {
    if (tokens > 0) {
      outputTokens += tokens;
      computedTokens = Math.min(computedTokens, knownTokens() - 1);
    }
  }
}
