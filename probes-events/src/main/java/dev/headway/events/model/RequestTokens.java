package dev.headway.events.model;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.DraftCounts;
import dev.headway.events.record.EntryPhase;

/**
 * Tokens of a request: known, computed, recomputed. A superclass so that the fields that each step
 * changes are adjacent to the other fields of a request in memory.
 *
 * <p>Recomputed tokens are those discarded by a preemption. A rejected draft, replaced by another
 * token, is not one.
 */
public abstract sealed class RequestTokens permits RequestTimeline {

  private int promptTokens;
  private int outputTokens;

  /** Outputs of earlier turns: they are part of the prompt, or were dropped. */
  private int earlierOutputs;

  private long turnBeginsBehind = ABSENT;
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

  /** Tokens produced so far. */
  public final int outputTokens() {
    return outputTokens;
  }

  /** Tokens known: prompt and outputs. */
  public final int knownTokens() {
    return promptTokens + outputTokens - earlierOutputs;
  }

  /** Whether it has an output, and if it is a session, one of its turn. */
  final boolean hasOutputOfTurn() {
    return outputTokens > earlierOutputs;
  }

  /** A turn begins, with the prompt so far; outputs of steps up to this one belong before it. */
  final void beginTurn(int prompt, long latestStepId) {
    promptTokens = prompt;
    earlierOutputs = outputTokens;
    turnBeginsBehind = latestStepId;
  }

  /** Tokens computed for it, recomputations included. */
  public final long scheduledTokens() {
    return scheduledTokens;
  }

  /**
   * Tokens recomputed after a preemption. Without entries this is known only once the request was
   * preempted again or has ended.
   */
  public final long recomputedTokens() {
    return recomputedTokens;
  }

  /** Whether all tokens discarded by preemptions are recomputed, or planned to be. */
  public final boolean hasRecovered() {
    return computedTokens >= recomputeUntil;
  }

  /** Tokens whose KV it has, those planned and those found in the prefix cache included. */
  public final int computedTokens() {
    return computedTokens;
  }

  /** Tokens of the prompt that were ever computed or found; not reduced by preemptions. */
  public final int promptComputedTokens() {
    return promptComputedTokens;
  }

  /** Steps that scheduled it. */
  public final long iterations() {
    return iterations;
  }

  /** The first of them, or absent. */
  public final long firstStep() {
    return firstStep;
  }

  /** Whether a step scheduled it; for the latest step only. */
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

  /** Class of its entry in its latest step. */
  public final EntryClass latestClass() {
    return latestClass;
  }

  /** How many tokens of a chunk had been computed before a preemption. */
  final int recomputed(int computedBefore, int tokens) {
    return Math.max(0, Math.min(computedBefore + tokens, recomputeUntil) - computedBefore);
  }

  /**
   * How many tokens of a chunk stay computed, now that its step is done: those known before it, and
   * of the drafts behind them the accepted ones.
   *
   * @param producedTokens tokens that the step produced, not counted as outputs yet
   */
  final int kept(int computedBefore, int tokens, int producedTokens) {
    return Math.min(tokens, knownTokens() - computedBefore) + DraftCounts.accepted(producedTokens);
  }

  /**
   * Notes a chunk of a plan; returns its class, derived from the computed tokens if the record has
   * none.
   */
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

  /** It has the KV of its first {@code tokens}; entries may have reported fewer, or none. */
  final void computedUpTo(int tokens) {
    if (tokens > computedTokens) {
      recomputedTokens += recomputed(computedTokens, tokens - computedTokens);
      computed(tokens);
    }
  }

  /** The first {@code tokens} were computed and are discarded. */
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

  /** Step {@code stepId} has produced tokens. */
  final void produced(long stepId, int tokens) {
    outputTokens += tokens;
    if (stepId <= turnBeginsBehind) {
      earlierOutputs += tokens;
    }
  }
}
