package dev.headway.events.model;

/**
 * Tokens of a request: known, computed, computed again. A superclass so that the fields that each
 * step changes stand side by side with the others of a request.
 *
 * <p>Computed again is what a preemption took. A rejected draft, whose place another token takes,
 * is not.
 */
public abstract sealed class RequestTokens permits ObservedRequest {

  private final int promptTokens;
  private int outputTokens;
  private int recomputeUntil;
  private long scheduledTokens;
  private long recomputedTokens;

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

  /** Those of them that had been computed before a preemption. */
  public final long recomputedTokens() {
    return recomputedTokens;
  }

  /** How many tokens of a chunk were computed before a preemption took them. */
  final int recomputed(int computedBefore, int tokens) {
    return Math.max(0, Math.min(computedBefore + tokens, recomputeUntil) - computedBefore);
  }

  /** Notes a chunk of a plan; says what it is. */
  final EntryClass scheduled(int computedBefore, int tokens) {
    scheduledTokens += tokens;
    recomputedTokens += recomputed(computedBefore, tokens);
    if (computedBefore < recomputeUntil) {
      return EntryClass.RECOMPUTE;
    }
    return computedBefore < promptTokens ? EntryClass.PREFILL : EntryClass.DECODE;
  }

  /** The first {@code tokens} were computed, and are gone. */
  final void lost(int tokens) {
    recomputeUntil = Math.max(recomputeUntil, tokens);
  }

  /** Tokens came out. */
  final void produced(int tokens) {
    outputTokens += tokens;
  }
}
