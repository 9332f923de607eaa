package dev.headway.probes.chronicle.observe;

/**
 * Tokens of a request: known, computed, computed again. A superclass so that the fields that each
 * step changes stand side by side with the others of a request.
 *
 * <p>Two counts say what was computed again. {@link #repeatedTokens} are positions that had been
 * computed before, for whatever reason: rejected drafts, whose place another token takes, are among
 * them. {@link #recomputed} are those that a preemption took.
 */
public abstract sealed class RequestTokens permits ObservedRequest {

  private final int promptTokens;
  private int outputTokens;
  private int computedTokens;
  private int recomputeUntil;
  private int highWater;
  private long scheduledTokens;
  private long repeatedTokens;

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

  /** Those of them at positions that had been computed before. */
  public final long repeatedTokens() {
    return repeatedTokens;
  }

  /** How many tokens of a chunk were computed before a preemption took them. */
  final int recomputed(int computedBefore, int tokens) {
    return below(recomputeUntil, computedBefore, tokens);
  }

  /** How many tokens of a chunk are at positions computed before. */
  final int repeated(int computedBefore, int tokens) {
    return below(highWater, computedBefore, tokens);
  }

  /** Notes a chunk of a plan; says what it is. */
  final EntryClass scheduled(int computedBefore, int tokens) {
    computedTokens = computedBefore + tokens;
    scheduledTokens += tokens;
    repeatedTokens += repeated(computedBefore, tokens);
    highWater = Math.max(highWater, computedTokens);
    if (computedBefore < recomputeUntil) {
      return EntryClass.RECOMPUTE;
    }
    return computedBefore < promptTokens ? EntryClass.PREFILL : EntryClass.DECODE;
  }

  /** All that was computed is gone. */
  final void forgetComputed() {
    recomputeUntil = Math.max(recomputeUntil, computedTokens);
  }

  /** Tokens came out; draft tokens that were wrong are computed no more. */
  final void produced(int tokens) {
    outputTokens += tokens;
    computedTokens = Math.min(computedTokens, knownTokens() - 1);
  }

  private static int below(int bound, int computedBefore, int tokens) {
    return Math.max(0, Math.min(computedBefore + tokens, bound) - computedBefore);
  }
}
