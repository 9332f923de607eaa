package dev.headway.scheduler.core;

import dev.headway.api.kvcache.KvVerdict;
import dev.headway.api.request.FinishReason;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.scheduler.state.RequestState;

/**
 * First half of a step: running requests get their tokens, in the order of their admission. When
 * blocks run out, requests are preempted until there are enough.
 */
final class RunningPhase {

  private final SchedulerState state;
  private final Preemption preemption;
  private final Retirement retirement;

  private int budget;
  private int cursor;
  private boolean preempted;
  private boolean tookPrefillChunk;
  private boolean selfPreempted;

  RunningPhase(SchedulerState state, Preemption preemption, Retirement retirement) {
    this.state = state;
    this.preemption = preemption;
    this.retirement = retirement;
  }

  /** Plans the running requests; returns the tokens left of the budget. */
  int plan(PlanBuffer plan) {
    budget = state.maxNumBatchedTokens;
    preempted = false;
    tookPrefillChunk = false;
    selfPreempted = false;
    cursor = 0;
    while (cursor < state.running.size() && budget > 0 && !selfPreempted) {
      planOne(plan, state.running.get(cursor));
    }
    refuseTheRest();
    return budget;
  }

  /** Whether this phase has preempted anybody: then nobody is admitted in this step. */
  boolean hasPreempted() {
    return preempted;
  }

  /** Why nothing is left of the budget after this phase. */
  WaitReason exhaustionReason() {
    return tookPrefillChunk ? WaitReason.CHUNKED_PREFILL : WaitReason.DECODE_PRIORITY;
  }

  private void planOne(PlanBuffer plan, RequestState request) {
    final int tokens = wantedTokens(request);
    if (tokens <= 0) {
      state.waits.refuse(
          state.stepId,
          request,
          WaitReason.CONTEXT_LENGTH_LIMIT,
          null,
          request.computedTokens + 1,
          state.maxModelLen - 1);
      cursor++;
      return;
    }
    final int ownedBlocks = request.kv().blockCount();
    if (!secureBlocks(plan, request, tokens)) {
      return;
    }
    plan.add(request, EntryKind.RUNNING, tokens, ownedBlocks);
    tookPrefillChunk |= isPrefill(request);
    budget -= tokens;
    cursor++;
  }

  private int wantedTokens(RequestState request) {
    int tokens = request.knownTokens - request.computedTokens;
    tokens = Math.min(tokens, state.longPrefillCap);
    tokens = Math.min(tokens, budget);
    return Math.min(tokens, state.maxModelLen - 1 - request.computedTokens);
  }

  /** Whether more than the newest token is to be computed, or no output is there yet. */
  private static boolean isPrefill(RequestState request) {
    return request.computedTokens + 1 < request.knownTokens || request.outputTokens() == 0;
  }

  /** Whether the request has its blocks now; otherwise it is no longer running. */
  private boolean secureBlocks(PlanBuffer plan, RequestState request, int tokens) {
    while (state.kv.grow(request.kv(), request.computedTokens, tokens, 0) != KvVerdict.ALLOCATED) {
      if (state.endsDeadEnds && isBeyondPool(request, tokens)) {
        state.running.removeAt(cursor);
        retirement.retire(
            request,
            FinishReason.KV_CACHE_EXHAUSTED,
            Retirement.NO_STOP_TOKEN,
            null,
            plan.beginNs());
        return false;
      }
      if (preemptFor(plan, request) == request) {
        selfPreempted = true;
        return false;
      }
    }
    return true;
  }

  /** Whether even an empty pool could not hold the request's next tokens. */
  private boolean isBeyondPool(RequestState request, int tokens) {
    final int slots = Math.min(request.computedTokens + tokens, state.maxModelLen);
    return state.kv.shape().blocksFor(slots) > state.kv.shape().usableBlocks();
  }

  private RequestState preemptFor(PlanBuffer plan, RequestState needy) {
    final int needed = state.kv.neededBlocks();
    final int free = state.kv.freeBlocks();
    final int index = state.victimRule.select(state.running);
    final RequestState victim = state.running.removeAt(index);
    if (index < cursor) {
      cursor--;
      budget += plan.withdraw(victim);
    }
    preemption.preempt(victim, PreemptionCause.KV_BLOCKS, needy, needed, free);
    preempted = true;
    return victim;
  }

  /** Running requests that this phase did not reach got nothing. */
  private void refuseTheRest() {
    final WaitReason reason =
        budget > 0 ? WaitReason.PREEMPTION_IN_STEP : WaitReason.MAX_NUM_BATCHED_TOKENS;
    for (int i = cursor; i < state.running.size(); i++) {
      final RequestState request = state.running.get(i);
      final int wanted = request.knownTokens - request.computedTokens;
      state.waits.refuse(state.stepId, request, reason, null, wanted, 0);
    }
  }
}
