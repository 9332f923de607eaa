package dev.headway.scheduler.core;

import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.PrefixCaching;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/**
 * Second half of a step: waiting requests are admitted from the head of the queue until seats,
 * token budget or blocks are used up. The head that is refused blocks everybody behind it; what
 * refused it is its wait reason.
 */
final class AdmissionPhase {

  private final SchedulerState state;
  private final Retirement retirement;
  private final boolean chunked;
  private final boolean caching;

  private int budget;

  AdmissionPhase(SchedulerState state, Retirement retirement) {
    this.state = state;
    this.retirement = retirement;
    chunked = state.config.chunkedPrefill() == ChunkedPrefill.ENABLED;
    caching = state.config.prefixCaching() == PrefixCaching.ENABLED;
  }

  /**
   * Admits who can be.
   *
   * @param tokensLeft what the running requests left of the budget
   * @param exhausted why that is nothing, if it is
   */
  void plan(PlanBuffer plan, int tokensLeft, WaitReason exhausted) {
    budget = tokensLeft;
    WaitReason noTokens = exhausted;
    for (RequestState head = state.waiting.peek(); head != null; head = state.waiting.peek()) {
      if (budget == 0) {
        close(noTokens, null);
        return;
      }
      if (state.running.isFull()) {
        close(WaitReason.MAX_NUM_SEQS, null);
        return;
      }
      if (state.endsDeadEnds && isBeyondPool(head)) {
        retirement.retire(
            head, FinishReason.KV_CACHE_EXHAUSTED, Retirement.NO_STOP_TOKEN, null, plan.beginNs());
        continue;
      }
      if (!tryAdmit(plan, head)) {
        close(WaitReason.HEAD_OF_LINE, head);
        return;
      }
      noTokens = WaitReason.MAX_NUM_BATCHED_TOKENS;
    }
  }

  /** Records why nobody else is admitted in this step. */
  void close(WaitReason reason, @Nullable RequestState blocker) {
    if (state.waiting.size() > 0) {
      state.waits.closeAdmissions(state.stepId, reason, blocker);
    }
  }

  /**
   * Whether a request that was preempted with all it could hold could never hold its next token.
   */
  private boolean isBeyondPool(RequestState head) {
    final int slots = Math.min(head.knownTokens, state.maxModelLen);
    return state.kv.shape().blocksFor(slots) > state.kv.shape().usableBlocks();
  }

  private boolean tryAdmit(PlanBuffer plan, RequestState head) {
    final int cached = state.kv.match(head.kv());
    int tokens = Math.min(head.knownTokens - cached, state.longPrefillCap);
    if (tokens > budget) {
      if (!chunked) {
        return refuse(head, WaitReason.CHUNKED_PREFILL_DISABLED, tokens, budget);
      }
      tokens = budget;
    }
    final int reserve = state.wholeSequenceGate ? Math.min(head.knownTokens, state.maxModelLen) : 0;
    final int watermark = state.running.size() == 0 ? 0 : state.watermarkBlocks;
    return switch (state.kv.admit(head.kv(), tokens, 0, reserve, watermark)) {
      case ALLOCATED -> {
        admit(plan, head, cached, tokens);
        yield true;
      }
      case BLOCKS_SHORT -> refuseBlocks(head, WaitReason.MEMORY_INSUFFICIENT);
      case WATERMARK_SHORT -> refuseBlocks(head, WaitReason.WATERMARK);
      case FULL_SEQUENCE_SHORT -> refuseBlocks(head, WaitReason.FULL_SEQUENCE_RESERVE);
    };
  }

  private boolean refuseBlocks(RequestState head, WaitReason reason) {
    return refuse(head, reason, state.kv.neededBlocks(), state.kv.freeBlocks());
  }

  private boolean refuse(RequestState head, WaitReason reason, int needed, int free) {
    state.waits.refuse(state.stepId, head, reason, null, needed, free);
    return false;
  }

  private void admit(PlanBuffer plan, RequestState head, int cached, int tokens) {
    final boolean resumed = head.status == RequestStatus.PREEMPTED;
    state.waiting.remove(head);
    state.waits.settle(head);
    countLookup(head, cached);
    if (resumed) {
      state.preemptedWaiting--;
    }
    if (!head.everAdmitted) {
      head.everAdmitted = true;
      head.cachedTokens = cached;
      head.reserveOutputs(longestOutput(head));
    }
    head.status = RequestStatus.RUNNING;
    head.computedTokens = cached;
    state.running.add(head);
    state.admissions++;
    final EntryKind kind = resumed ? EntryKind.RESUMED : EntryKind.NEW;
    state.probe.onAdmitted(state.stepId, head, kind, cached, lostTokens(head, cached));
    plan.add(head, kind, tokens, 0);
    budget -= tokens;
  }

  private int longestOutput(RequestState request) {
    final int room = state.maxModelLen - request.promptTokens();
    return Math.min(request.maxTokens(), Math.max(1, room));
  }

  /** Tokens of full blocks that it had computed and that are no longer there. */
  private int lostTokens(RequestState request, int cached) {
    final int blockSize = state.kv.shape().blockSize();
    final int before = Math.min(request.computedBeforePreemption, request.knownTokens - 1);
    return Math.max(0, before / blockSize * blockSize - cached);
  }

  private void countLookup(RequestState request, int cached) {
    if (!caching || request.request().prefixReuse() == PrefixReuse.SKIPPED) {
      return;
    }
    if (request.preemptions == 0) {
      state.prefixLookups++;
      state.prefixQueriedTokens += request.knownTokens;
      state.prefixHitTokens += cached;
    } else {
      state.resumedLookups++;
      state.resumedQueriedTokens += request.knownTokens;
      state.resumedHitTokens += cached;
    }
  }
}
