package dev.headway.events.model;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.EntryPhase;

/**
 * Tokens of a request: known, computed, computed again. A superclass so that the fields that each
 * step changes stand side by side with the others of a request.
 *
 * <p>Computed again is what a preemption took. A rejected draft, whose place another token takes,
 * is not.
 */
public abstract sealed class RequestTokens permits RequestTimeline {

  private final int promptTokens;
  private int outputTokens;
  private int recomputeUntil;
  private long scheduledTokens;
  private long recomputedTokens;
  private int computedTokens;
  private int promptComputedTokens;
  private long iterations;
  private long firstStep = ABSENT;
  private long latestStep = ABSENT;
  private int latestTokens;
  private int latestComputed;
  private boolean latestSamples;
  private EntryClass latestClass = EntryClass.PREFILL;

  RequestTokens(int promptTokens) {
    this.promptTokens = promptTokens;
  }

  /** Tokens that came out so far. */
  public final int outputTokens() {
    return outputTokens;
  }

  /** Tokens known: the prompt and what came out. */
  public final int knownTokens() {
    return promptTokens + outputTokens;
  }

  /** Tokens computed for it, again and again ones included. */
  public final long scheduledTokens() {
    return scheduledTokens;
  }

  /**
   * Tokens computed that had been computed before a preemption. Without entries those are known of
   * a request that was preempted again or has ended.
   */
  public final long recomputedTokens() {
    return recomputedTokens;
  }

  /** Whether all that preemptions took is computed again, or planned to be. */
  public final boolean hasRecovered() {
    return computedTokens >= recomputeUntil;
  }

  /** Tokens whose KV it has, those planned and those found in the prefix cache included. */
  public final int computedTokens() {
    return computedTokens;
  }

  /** Tokens of the prompt that were ever computed or found; a preemption takes none away. */
  public final int promptComputedTokens() {
    return promptComputedTokens;
  }

  /** Steps it took part in. */
  public final long iterations() {
    return iterations;
  }

  /** The first of them, or absent. */
  public final long firstStep() {
    return firstStep;
  }

  /** Whether it took part in a step; asked of the latest step only. */
  public final boolean isScheduledIn(long stepId) {
    return latestStep == stepId;
  }

  /** Tokens to compute in its latest step. */
  public final int latestScheduledTokens() {
    return latestTokens;
  }

  /** Tokens computed before its latest step. */
  public final int latestComputedTokens() {
    return latestComputed;
  }

  /** Whether its latest step samples a token. */
  public final boolean latestSamples() {
    return latestSamples;
  }

  /** What its latest step computes. */
  public final EntryClass latestClass() {
    return latestClass;
  }

  /** How many tokens of a chunk were computed before a preemption took them. */
  final int recomputed(int computedBefore, int tokens) {
    return Math.max(0, Math.min(computedBefore + tokens, recomputeUntil) - computedBefore);
  }

  /** Notes a chunk of a plan; returns what it is, by what was computed if the record is silent. */
  final EntryClass scheduled(
      long stepId, EntryPhase phase, int computedBefore, int tokens, boolean samples) {
    scheduledTokens += tokens;
    recomputedTokens += recomputed(computedBefore, tokens);
    iterations++;
    if (firstStep == ABSENT) {
      firstStep = stepId;
    }
    latestStep = stepId;
    latestTokens = tokens;
    latestComputed = computedBefore;
    latestSamples = samples;
    latestClass = classOf(phase, computedBefore);
    computed(computedBefore + tokens);
    return latestClass;
  }

  /** It has the KV of its first {@code tokens}. */
  final void computed(int tokens) {
    computedTokens = tokens;
    promptComputedTokens = Math.max(promptComputedTokens, Math.min(tokens, promptTokens));
  }

  /** It has the KV of its first {@code tokens}, of which entries may have told less, or nothing. */
  final void computedUpTo(int tokens) {
    if (tokens > computedTokens) {
      recomputedTokens += recomputed(computedTokens, tokens - computedTokens);
      computed(tokens);
    }
  }

  /** The first {@code tokens} were computed, and are gone. */
  final void lost(int tokens) {
    computedUpTo(tokens);
    recomputeUntil = Math.max(recomputeUntil, tokens);
    computedTokens = 0;
  }

  private EntryClass classOf(EntryPhase phase, int computedBefore) {
    if (phase == EntryPhase.DECODE) {
      return EntryClass.DECODE;
    }
    if (computedBefore < recomputeUntil) {
      return EntryClass.RECOMPUTE;
    }
    final boolean prefill = phase == EntryPhase.PREFILL || computedBefore < promptTokens;
    return prefill ? EntryClass.PREFILL : EntryClass.DECODE;
  }

  /** Tokens came out. */
  final void produced(int tokens) {
    outputTokens += tokens;
  }
}
