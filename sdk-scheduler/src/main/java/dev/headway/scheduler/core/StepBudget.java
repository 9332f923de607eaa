package dev.headway.scheduler.core;

/**
 * What is left of a step's two budgets: tokens to schedule, and slots of the executor's batch, of
 * which a drafter takes some more for every scheduled request.
 */
final class StepBudget {

  private final int draftSlots;
  private int tokens;
  private int slots;

  StepBudget(int draftSlots) {
    this.draftSlots = draftSlots;
  }

  void begin(int maxTokens, int maxSlots) {
    tokens = maxTokens;
    slots = maxSlots;
  }

  /** Whether no other request can be scheduled. */
  boolean isSpent() {
    return tokens <= 0 || slots <= draftSlots;
  }

  /** Most tokens that one more request can get. */
  int largestChunk() {
    return Math.min(tokens, slots - draftSlots);
  }

  /** Tokens left, regardless of the slots. */
  int tokensLeft() {
    return tokens;
  }

  /** A request gets {@code scheduled} tokens. */
  void charge(int scheduled) {
    tokens -= scheduled;
    slots -= scheduled + draftSlots;
  }

  /** Most requests of one token each. */
  int entriesOfOneToken() {
    return Math.max(0, Math.min(tokens, slots / (1 + draftSlots)));
  }

  /** {@code count} requests get {@code scheduled} tokens each. */
  void chargeEach(int scheduled, int count) {
    tokens -= scheduled * count;
    slots -= (scheduled + draftSlots) * count;
  }

  /** A request with {@code scheduled} tokens is withdrawn from the step. */
  void refund(int scheduled) {
    tokens += scheduled;
    slots += scheduled + draftSlots;
  }
}
