package dev.headway.scheduler.core;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.request.FinishReason;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.scheduler.state.RequestState;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * First half of a step: running requests get their tokens, in the order of their admission. When
 * blocks run out, requests are preempted until there are enough.
 */
final class RunningPhase {

  private final SchedulerState state;
  private final SteadyDecodes steady;
  private final StepBudget budget;
  private final ChunkRule chunks;
  private final Progress progress;
  private final @Nullable StepsAhead ahead;
  private final @Nullable EncoderBudget encoder;
  private final @Nullable PrefillThrottle throttle;
  private final @Nullable PolicyDesk policies;
  private final Preemption preemption;
  private final Retirement retirement;

  private final int lookahead;
  private int cursor;
  private boolean preempted;
  private boolean tookPrefillChunk;
  private boolean tookUnfinishedPrompt;
  private boolean selfPreempted;
  private boolean awaitsBlocks;
  private @Nullable RequestState stalled;
  private int stalledFor;
  private @Nullable RequestState itemless;
  private long copiesAwaitedIn;
  private long copiesAwaitedSince;

  RunningPhase(
      SchedulerState state,
      SteadyDecodes steady,
      ChunkRule chunks,
      Progress progress,
      Preemption preemption,
      Retirement retirement,
      @Nullable PolicyDesk policies) {
    this.state = state;
    this.steady = steady;
    this.chunks = chunks;
    this.progress = progress;
    this.preemption = preemption;
    this.retirement = retirement;
    this.policies = policies;
    budget = state.budget;
    ahead = state.ahead;
    encoder = state.encoder;
    throttle = state.throttle;
    lookahead = state.limits.lookaheadTokens;
  }

  /** Plans the running requests. */
  void plan(PlanBuffer plan) {
    preempted = false;
    awaitsBlocks = false;
    tookPrefillChunk = false;
    tookUnfinishedPrompt = false;
    planAll(plan);
    // what requests wait for is held by others that wait too; each round has fewer
    RequestState needy = needy();
    while (needy != null && plan.size() == 0 && state.running.size() > 0 && !isAnythingDue()) {
      if (!selfPreempted) {
        preemptFor(plan, needy, stalledFor, state.victimRule.select(state.running));
      }
      planAll(plan);
      needy = needy();
    }
    if (cursor < state.running.size()) {
      refuseTheRest();
    }
  }

  /** A request that lacks blocks, or an output of the encoder, that only others can give up. */
  private @Nullable RequestState needy() {
    final boolean othersHoldItems = state.limits.finishesUnschedulable && state.running.size() > 1;
    return stalled == null && othersHoldItems ? itemless : stalled;
  }

  private void planAll(PlanBuffer plan) {
    selfPreempted = false;
    stalled = null;
    itemless = null;
    cursor = 0;
    while (cursor < state.running.size() && !budget.isSpent() && !selfPreempted) {
      final int undecided = steady.plan(plan, cursor);
      if (undecided > cursor) {
        cursor = undecided;
      } else {
        planOne(plan, state.running.get(cursor));
      }
    }
  }

  /** Whether steps are out whose outputs may end a request or move its window, or give blocks. */
  private boolean isAnythingDue() {
    if (awaitsBlocks) {
      return true;
    }
    for (int i = 0; i < state.running.size(); i++) {
      if (state.running.get(i).inFlightTokens > 0) {
        return true;
      }
    }
    return false;
  }

  /** Whether this phase has preempted a request: then none is admitted in this step. */
  boolean hasPreempted() {
    return preempted;
  }

  /**
   * Whether a request lacks blocks and none was preempted for it: an admission would take the
   * blocks it waits for.
   */
  boolean hasStalled() {
    return stalled != null || awaitsBlocks;
  }

  /** Whether the plan has entries and all of them decode. */
  boolean onlyDecodes(PlanBuffer plan) {
    return plan.size() > 0 && !tookUnfinishedPrompt;
  }

  /** Why nothing is left of the budget after this phase. */
  WaitReason exhaustionReason() {
    return tookPrefillChunk ? WaitReason.CHUNKED_PREFILL : WaitReason.DECODE_PRIORITY;
  }

  private void planOne(PlanBuffer plan, RequestState request) {
    final WaitReason skip = whyNotNow(request);
    if (skip != null) {
      refuse(request, skip);
      cursor++;
      return;
    }
    final int tokens = wantedTokens(request);
    if (tokens <= 0 && encoder != null && encoder.refusal(request) != null) {
      refuseItem(request, encoder);
      cursor++;
      return;
    }
    if (tokens <= 0) {
      final WaitReason nothing = whyNothingWanted(request);
      state.tokensShort |= nothing == WaitReason.BLOCK_ALIGNMENT;
      refuse(request, nothing);
      cursor++;
      return;
    }
    if (request.computedTokens + tokens + lookahead <= request.allocatedThrough) {
      plan.keepBlocks(request.tableBlocks); // most decode steps: the last block has room
    } else if (!secureBlocks(plan, request, tokens)) {
      return;
    }
    tookUnfinishedPrompt |= request.prefillChunk;
    final int drafts = request.pendingDrafts == 0 ? 0 : Speculation.draftsWithin(request, tokens);
    progress.plan(plan, request, EntryKind.RUNNING, tokens, drafts);
    tookPrefillChunk |= !plan.isDecode(plan.size() - 1);
    cursor++;
  }

  private @Nullable WaitReason whyNotNow(RequestState request) {
    if (ahead != null && ahead.isSureToEnd(request)) {
      return WaitReason.OUTPUT_IN_FLIGHT;
    }
    if (ahead != null && ahead.spacesDecode(request, state.stepId)) {
      return WaitReason.DECODE_SPACING;
    }
    return throttle != null && throttle.defers() && request.prefillChunk
        ? WaitReason.PREFILL_THROTTLED
        : null;
  }

  private int wantedTokens(RequestState request) {
    final int missing = missingTokens(request);
    final int room = state.limits.maxModelLen - 1 - request.computedTokens;
    if (missing <= 1 || room <= 0) {
      final int most = Math.min(missing, room);
      return encoder == null ? most : encoder.fit(request, request.computedTokens, most);
    }
    return chunks.fit(
        request,
        request.computedTokens,
        missing,
        chunks.largest(request, missing),
        Math.min(budget.largestChunk(), room));
  }

  private static int missingTokens(RequestState request) {
    return request.knownTokens
        + request.pendingDrafts
        + request.placeholders
        - request.computedTokens;
  }

  private WaitReason whyNothingWanted(RequestState request) {
    if (request.computedTokens >= state.limits.maxModelLen - 1) {
      return WaitReason.CONTEXT_LENGTH_LIMIT;
    }
    return missingTokens(request) <= 0 ? WaitReason.OUTPUT_IN_FLIGHT : WaitReason.BLOCK_ALIGNMENT;
  }

  /** Whether the request got its blocks; otherwise it got no tokens or no longer runs. */
  private boolean secureBlocks(PlanBuffer plan, RequestState request, int tokens) {
    plan.markBlocks(request.kv());
    Allocation answer = state.kv.extend(request.kv(), request.computedTokens, tokens, lookahead);
    while (!answer.isAllocated()) {
      final int needed = answer.neededBlocks();
      if (areBlocksDue(needed)) {
        await(request, needed);
        return false;
      }
      if (isGiven(request)) {
        plan.markBlocks(request.kv());
        answer = state.kv.extend(request.kv(), request.computedTokens, tokens, lookahead);
        continue;
      }
      if (state.limits.finishesUnschedulable && isBeyondHelp(request, tokens)) {
        if (request.inFlightTokens == 0 && !(isAlone() && awaitsCopies(request))) {
          endOrBeginAnew(plan, request, tokens, needed);
        } else { // an output that is due may end it, or move its window on; copies give blocks back
          refuseBlocks(request, WaitReason.MEMORY_INSUFFICIENT, needed);
          cursor++;
        }
        return false;
      }
      if (isLastAndBlocksAreDue()) {
        await(request, needed);
        return false;
      }
      final int victim = chooseVictim(plan, request, needed);
      if (victim == VictimPolicy.STALL) {
        stalledFor = stalled == null ? needed : stalledFor;
        stalled = stalled == null ? request : stalled;
        refuseBlocks(request, WaitReason.STALLED, needed);
        cursor++;
        return false;
      }
      if (preemptFor(plan, request, needed, victim) == request) {
        selfPreempted = true;
        return false;
      }
      plan.markBlocks(request.kv());
      answer = state.kv.extend(request.kv(), request.computedTokens, tokens, lookahead);
    }
    plan.countBlocks(request.kv());
    request.noteBlocks();
    return true;
  }

  /** It lacks blocks that will be free when steps that are out are answered. */
  private void await(RequestState request, int needed) {
    awaitsBlocks = true;
    refuseBlocks(request, WaitReason.STALLED, needed);
    cursor++;
  }

  /**
   * No other request can help: it ends, unless it is a session that goes on in blocks that it has
   * kept. Recurrent states behind drafts that were rejected are among these, and it may need fewer
   * if it is computed anew.
   */
  private void endOrBeginAnew(PlanBuffer plan, RequestState request, int tokens, int needed) {
    final boolean hasKept = request.session != null && request.session.goesOnInKeptBlocks;
    if (hasKept && !isBeyondGrowth(request, tokens)) {
      selfPreempted = preemptFor(plan, request, needed, cursor) == request;
    } else {
      state.running.removeAt(cursor);
      retirement.retire(request, FinishReason.KV_CACHE_EXHAUSTED, ABSENT, null, plan.beginNs());
    }
  }

  /** Whether a request that does not run has given its blocks to one that runs. */
  private boolean isGiven(RequestState request) {
    return (state.sessions != null && state.sessions.giveBlocks(request))
        || (state.exchange != null && state.exchange.loads.giveBlocks(request, preemption));
  }

  /**
   * Whether so many blocks are free, or will be when the steps that are out are answered: vLLM
   * preempts one request after the other, none of whose blocks are free at once.
   */
  private boolean areBlocksDue(int needed) {
    return freesBlocksLate() && needed <= state.kv.freeBlocks() + state.kv.quarantinedBlocks();
  }

  /**
   * Whether a request is the last that runs and blocks of others will be free: with those it has
   * enough or never will. In the place of its own it would be computed again, beside others that
   * take these.
   */
  private boolean isLastAndBlocksAreDue() {
    return freesBlocksLate() && state.running.size() == 1 && state.kv.quarantinedBlocks() > 0;
  }

  private boolean freesBlocksLate() {
    return state.exchange != null
        && state.limits.finishesUnschedulable
        && state.exchange.defersFrees();
  }

  /** Whether no preemption could ever give the request its next tokens, and what drafts need. */
  private boolean isBeyondHelp(RequestState request, int tokens) {
    return isAlone() || isBeyondGrowth(request, tokens);
  }

  private boolean isBeyondGrowth(RequestState request, int tokens) {
    final int asked = request.computedTokens + tokens + lookahead;
    return state.limits.isBeyondGrowth(Math.min(asked, state.limits.maxModelLen));
  }

  private boolean isAlone() {
    return state.running.size() == 1
        && state.kv.quarantinedBlocks() == 0
        && (state.sessions == null || !state.sessions.holdBlocks())
        && (state.exchange == null || !state.exchange.holdsBlocks());
  }

  /**
   * Whether a request that is alone lacks blocks that only copies hold, made for requests that were
   * preempted or have ended since: they are free once their steps are over, of which there are no
   * more than may be out.
   */
  private boolean awaitsCopies(RequestState request) {
    if (blocksHeld(request.kv()) + state.kv.freeBlocks() >= state.kv.shape().usableBlocks()) {
      return false;
    }
    if (copiesAwaitedIn != state.stepId - 1) {
      copiesAwaitedSince = state.stepId;
    }
    copiesAwaitedIn = state.stepId;
    return state.stepId - copiesAwaitedSince <= state.config.pipeline().maxStepsInFlight();
  }

  private static int blocksHeld(KvSequence sequence) {
    int held = 0;
    for (int group = 0; group < sequence.groupCount(); group++) {
      for (int i = 0; i < sequence.blockCount(group); i++) {
        held += sequence.blockId(group, i) == 0 ? 0 : 1;
      }
    }
    return held;
  }

  /**
   * Returns the victim's index, or {@code STALL} if the policy preempts none and another request
   * can progress.
   */
  private int chooseVictim(PlanBuffer plan, RequestState needy, int needed) {
    final int fallback = state.victimRule.select(state.running);
    final int lacking = needed - state.kv.freeBlocks();
    final int chosen = policies == null ? fallback : policies.victim(needy, lacking, fallback);
    if (chosen == VictimPolicy.STALL) {
      final boolean nobodyProgresses = plan.size() == 0 && cursor == state.running.size() - 1;
      return nobodyProgresses ? fallback : chosen;
    }
    return chosen != fallback && ProgressLaw.spares(state.running.get(chosen), state.stepId)
        ? fallback
        : chosen;
  }

  private RequestState preemptFor(PlanBuffer plan, RequestState needy, int needed, int index) {
    final int free = state.kv.freeBlocks();
    final RequestState victim = state.running.removeAt(index);
    if (index < cursor) {
      cursor--;
      progress.withdraw(plan, victim);
    }
    preemption.preempt(victim, PreemptionCause.KV_BLOCKS, needy, needed, free);
    if (policies != null) {
      policies.preempted(victim);
    }
    preempted = true;
    stalled = victim == stalled ? null : stalled; // it needs no blocks until it is admitted again
    itemless = victim == itemless ? null : itemless;
    return victim;
  }

  /** Records why the running requests not reached by this phase got no tokens. */
  private void refuseTheRest() {
    for (int i = cursor; i < state.running.size(); i++) {
      final RequestState request = state.running.get(i);
      state.waits.refuse(state.stepId, request, whyNotReached(), null, missingTokens(request), 0);
    }
  }

  private WaitReason whyNotReached() {
    if (state.pauseState == PauseState.PAUSED) {
      return WaitReason.PAUSED;
    }
    return budget.isSpent() ? WaitReason.MAX_NUM_BATCHED_TOKENS : WaitReason.PREEMPTION_IN_STEP;
  }

  private void refuse(RequestState request, WaitReason reason) {
    final boolean full = reason == WaitReason.CONTEXT_LENGTH_LIMIT;
    state.waits.refuse(
        state.stepId,
        request,
        reason,
        null,
        full ? request.computedTokens + 1 : 0,
        full ? state.limits.maxModelLen - 1 : 0);
  }

  private void refuseItem(RequestState request, EncoderBudget items) {
    itemless = itemless == null ? request : itemless;
    final WaitReason reason = Objects.requireNonNull(items.refusal(request));
    state.waits.refuse(state.stepId, request, reason, null, items.needed(), items.available());
  }

  private void refuseBlocks(RequestState request, WaitReason reason, int needed) {
    state.waits.refuse(state.stepId, request, reason, null, needed, state.kv.freeBlocks());
  }
}
