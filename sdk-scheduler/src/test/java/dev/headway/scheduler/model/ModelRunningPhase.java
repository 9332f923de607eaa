package dev.headway.scheduler.model;

import dev.headway.api.request.FinishReason;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import java.util.Comparator;
import java.util.List;

/** First half of a step: running requests. */
final class ModelRunningPhase {

  private final ModelState state;
  private int cursor;
  private boolean over;
  boolean preempted;
  boolean awaitsBlocks;
  boolean tookPrefill;
  boolean tookUnfinishedPrompt;

  ModelRunningPhase(ModelState state) {
    this.state = state;
  }

  void plan() {
    cursor = 0;
    over = false;
    preempted = false;
    awaitsBlocks = false;
    tookPrefill = false;
    tookUnfinishedPrompt = false;
    while (!over && cursor < state.running.size() && !state.isSpent()) {
      serve(state.running.get(cursor));
    }
    for (; cursor < state.running.size(); cursor++) {
      state.running.get(cursor).refuse(whyNotReached(), null);
    }
  }

  private WaitReason whyNotReached() {
    if (state.pause == PauseState.PAUSED) {
      return WaitReason.PAUSED;
    }
    return state.isSpent() ? WaitReason.MAX_NUM_BATCHED_TOKENS : WaitReason.PREEMPTION_IN_STEP;
  }

  private void serve(ModelRequest request) {
    final WaitReason skip = whySkipped(request);
    final int want = skip == null ? wanted(request) : 0;
    if (want <= 0) {
      request.refuse(skip != null ? skip : whyNothing(request), null);
      cursor++;
      return;
    }
    final int newFrom = request.blocks.size();
    final int slots = request.computed + want + state.drafts.lookahead();
    while (state.blocks.fresh(slots, request.blocks.size()) > state.blocks.free.size()) {
      if (areBlocksDue(state.blocks.fresh(slots, request.blocks.size()))) {
        await(request);
        return;
      }
      if (state.connector != null && state.connector.giveBlocks(request)) {
        continue;
      }
      if (state.headway && isStuck(request, slots)) {
        return;
      }
      if (state.running.size() == 1 && areFreesDeferred() && state.blocks.quarantined() > 0) {
        await(request);
        return;
      }
      if (preemptOneFor(request) == request) {
        over = true;
        return;
      }
    }
    state.blocks.take(request, state.blocks.fresh(slots, request.blocks.size()));
    state.blocks.cache(request, request.computed + want, state.step);
    final int outputs = request.outputs() + request.placeholders;
    final int newest = request.request.promptTokens() + outputs - 1;
    tookPrefill |= outputs == 0 || request.computed != newest;
    tookUnfinishedPrompt |= request.prefillChunk;
    final int drafts = want + request.computed - request.known() - request.placeholders;
    final int used = Math.max(0, Math.min(drafts, request.drafts.size()));
    state.put(request, EntryKind.RUNNING, want, request.drafts.subList(0, used), newFrom);
    cursor++;
  }

  /** With a connector that loads, what was given back is free when the steps out have ended. */
  private boolean areBlocksDue(int needed) {
    return areFreesDeferred() && needed <= state.blocks.free.size() + state.blocks.quarantined();
  }

  private boolean areFreesDeferred() {
    return state.connector != null && state.config.pipeline().maxStepsInFlight() > 1;
  }

  private void await(ModelRequest request) {
    awaitsBlocks = true;
    request.refuse(WaitReason.STALLED, null);
    cursor++;
  }

  private WaitReason whySkipped(ModelRequest request) {
    final int longest = request.request.promptTokens() + request.request.stopRule().maxTokens();
    if (request.placeholders > 0 && request.computed + 2 - request.placeholders >= longest) {
      return WaitReason.OUTPUT_IN_FLIGHT;
    }
    if (state.step < request.nextDecodeStep) {
      return WaitReason.DECODE_SPACING;
    }
    return state.defer && request.prefillChunk ? WaitReason.PREFILL_THROTTLED : null;
  }

  private int missing(ModelRequest request) {
    return request.known() + request.drafts.size() + request.placeholders - request.computed;
  }

  private int wanted(ModelRequest request) {
    int want = state.capped(missing(request));
    want = Math.min(want, state.largestChunk());
    want = Math.min(want, state.maxModelLen - 1 - request.computed);
    return state.drafts.reserve(request.known(), request.computed, want);
  }

  private WaitReason whyNothing(ModelRequest request) {
    if (request.computed >= state.maxModelLen - 1) {
      return WaitReason.CONTEXT_LENGTH_LIMIT;
    }
    return missing(request) <= 0 ? WaitReason.OUTPUT_IN_FLIGHT : WaitReason.BLOCK_ALIGNMENT;
  }

  /** Headway only: no preemption could help, ever or until outputs are in. */
  private boolean isStuck(ModelRequest request, int slots) {
    final boolean alone =
        state.running.size() == 1
            && state.blocks.quarantined() == 0
            && (state.connector == null || !state.connector.holdsBlocks());
    if (!alone && !state.isBeyondPool(slots)) {
      return false;
    }
    if (request.inFlight == 0) {
      state.end(request, FinishReason.KV_CACHE_EXHAUSTED);
    } else {
      request.refuse(WaitReason.MEMORY_INSUFFICIENT, null);
      cursor++;
    }
    return true;
  }

  private ModelRequest preemptOneFor(ModelRequest needy) {
    final ModelRequest victim = victim();
    cursor -= state.running.indexOf(victim) < cursor ? 1 : 0;
    state.running.remove(victim);
    state.preempt(victim, needy, false);
    preempted = true;
    return victim;
  }

  /**
   * 3.4: the last one; by priority the worst rank, the first of equals. Headway breaks ties by id
   * as admissions do: equals would preempt each other for ever.
   */
  private ModelRequest victim() {
    final List<ModelRequest> running = state.running;
    if (state.fcfs) {
      return running.getLast();
    }
    Comparator<ModelRequest> rank =
        Comparator.comparingInt(ModelRequest::priority).thenComparingLong(r -> r.arrivalNs);
    rank = state.headway ? rank.thenComparing(ModelRequest::id) : rank;
    ModelRequest victim = running.getFirst();
    for (ModelRequest other : running) {
      victim = rank.compare(other, victim) > 0 ? other : victim;
    }
    return victim;
  }
}
