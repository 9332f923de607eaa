package dev.headway.scheduler.core;

import dev.headway.api.kvcache.Allocation;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/** The KV blocks of an admission: asks for them, or what they would be. */
final class AdmissionBlocks {

  /** A watermark that no cache can keep: nothing is allocated with it. */
  private static final int UNKEEPABLE = 1 << 29;

  private final SchedulerState state;
  private final @Nullable PolicyDesk policies;
  private int reserved;

  AdmissionBlocks(SchedulerState state, @Nullable PolicyDesk policies) {
    this.state = state;
    this.policies = policies;
  }

  /** Asks the capacity policy what must stay free behind the admission. */
  void reserve(RequestState head, int cached, int tokens) {
    reserved =
        policies == null || state.running.size() == 0
            ? 0
            : policies.blocksToKeepFree(head, cached, tokens);
  }

  /** What it has answered. */
  int reserved() {
    return reserved;
  }

  /** Allocates for a chunk of {@code tokens} behind the cached ones, or says what is missing. */
  Allocation allocate(RequestState head, int tokens) {
    return allocate(head, tokens, sequenceReserve(head), keptFree());
  }

  /**
   * Allocates for {@code tokens} that are loaded between steps, and leaves what prefills need; all
   * of an empty cache, where those that are in flight have no block yet and may never need one.
   */
  Allocation load(KvExchange exchange, RequestState head, int tokens) {
    final boolean mayTakeAll = state.limits.finishesUnschedulable && state.isCacheEmpty();
    final int left = mayTakeAll ? 0 : exchange.prefills.blocks();
    return exchange.kv().load(head.kv(), tokens, sequenceReserve(head), keptFree(), left);
  }

  /** Whether an allocation was refused for lack of blocks. */
  static boolean isShort(Allocation answer) {
    return !answer.isAllocated() && answer.status() != Allocation.Status.PREFIX_IN_PROGRESS;
  }

  /** Whether sessions that wait have given up blocks that the head lacks. */
  boolean areGivenBySessions(RequestState head, Allocation answer) {
    return state.sessions != null
        && isShort(answer)
        && state.sessions.giveEnough(head, answer.neededBlocks());
  }

  /** Free blocks without which {@link #allocate} refuses. Takes nothing. */
  int needed(RequestState head, int tokens) {
    final int chunk = demand(allocate(head, tokens, 0, UNKEEPABLE));
    final int reserve = sequenceReserve(head);
    final int sequence = reserve == 0 ? 0 : demand(allocate(head, tokens, reserve, UNKEEPABLE));
    return Math.max(chunk, sequence) + keptFree();
  }

  private Allocation allocate(RequestState head, int tokens, int reserve, int keptFree) {
    if (head.computedTokens > 0) { // it has kept its blocks
      return state.kv.readmit(
          head.kv(), head.computedTokens, tokens, state.limits.lookaheadTokens, reserve, keptFree);
    }
    final int lookahead = state.limits.lookaheadTokens;
    final KvExchange exchange = state.exchange;
    final int external = exchange == null ? 0 : KvExchange.externalTokens(head);
    return exchange == null || external == 0
        ? state.kv.allocate(head.kv(), tokens, lookahead, reserve, keptFree)
        : exchange.kv().allocate(head.kv(), external, tokens, lookahead, reserve, keptFree);
  }

  private int sequenceReserve(RequestState head) {
    return state.limits.wholeSequenceGate
        ? Math.min(head.knownTokens, state.limits.maxModelLen)
        : 0;
  }

  private int keptFree() {
    return state.running.size() == 0 ? 0 : Math.max(state.limits.watermarkBlocks, reserved);
  }

  private static int demand(Allocation refusal) {
    if (!isShort(refusal)) {
      return UNKEEPABLE; // no number of blocks would help
    }
    final int needed = refusal.neededBlocks();
    return needed < UNKEEPABLE ? needed : needed - UNKEEPABLE;
  }
}
