package dev.headway.scheduler.core;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.kvcache.Allocation;
import dev.headway.api.request.FinishReason;
import dev.headway.api.schedule.WaitReason;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/** The head of the queue is not admitted: why, and where it goes. Engine thread only. */
final class Refusals {

  /** Bounds what a gate that defers everything costs; the next step goes on from there. */
  static final int MOST_DEFERRALS = 256;

  private final SchedulerState state;
  private final Retirement retirement;
  private final AdmissionChunk chunk;
  private final AdmissionBlocks blocks;

  /** Requests that were deferred in this step, and the last of them. */
  int deferrals;

  @Nullable RequestState lastDeferred;

  Refusals(
      SchedulerState state, Retirement retirement, AdmissionChunk chunk, AdmissionBlocks blocks) {
    this.state = state;
    this.retirement = retirement;
    this.chunk = chunk;
    this.blocks = blocks;
  }

  /** It stays, and blocks those behind it. */
  AdmissionOutcome refuse(RequestState head, WaitReason reason, int needed, int free) {
    state.waits.refuse(state.stepId, head, reason, null, needed, free);
    return AdmissionOutcome.REFUSED;
  }

  /** It can be given no tokens. */
  AdmissionOutcome refuseTokens(RequestState head, WaitReason reason) {
    final EncoderBudget encoder = state.encoder;
    if (encoder != null && reason == encoder.refusal(head)) {
      return refuse(head, reason, encoder.needed(), encoder.available());
    }
    if (reason == WaitReason.PREFILL_THROTTLED) {
      return refuse(head, reason, chunk.wanted(), 0);
    }
    state.tokensShort |= reason != WaitReason.DRAFT_PADDING;
    return refuse(head, reason, chunk.wanted(), state.budget.largestChunk());
  }

  /** It can be given no blocks. */
  AdmissionOutcome refuseAllocation(PlanBuffer plan, RequestState head, Allocation answer) {
    return switch (answer.status()) {
      case ALLOCATED -> throw new IllegalArgumentException("not refused: " + answer);
      case BLOCKS_SHORT -> refuseBlocks(plan, head, WaitReason.MEMORY_INSUFFICIENT, answer);
      case WATERMARK_SHORT ->
          refuseBlocks(
              plan,
              head,
              blocks.reserved() > state.limits.watermarkBlocks
                  ? WaitReason.CAPACITY_RESERVED
                  : WaitReason.WATERMARK,
              answer);
      case RESERVED_SHORT -> refuseBlocks(plan, head, WaitReason.KV_LOAD_RESERVE, answer);
      case PREFIX_IN_PROGRESS -> refuse(head, WaitReason.PREFIX_IN_PROGRESS, 0, 0);
      case FULL_SEQUENCE_SHORT ->
          refuseBlocks(plan, head, WaitReason.FULL_SEQUENCE_RESERVE, answer);
    };
  }

  /** There are not as many blocks as it needs. */
  AdmissionOutcome refuseBlocks(
      PlanBuffer plan, RequestState head, WaitReason reason, Allocation answer) {
    if (state.limits.finishesUnschedulable && state.isCacheEmpty()) {
      return end(plan, head, FinishReason.KV_CACHE_EXHAUSTED); // not even now
    }
    return refuse(head, reason, answer.neededBlocks(), state.kv.freeBlocks());
  }

  /** It ends. */
  AdmissionOutcome end(PlanBuffer plan, RequestState head, FinishReason reason) {
    retirement.retire(head, reason, ABSENT, null, plan.beginNs());
    return AdmissionOutcome.GONE;
  }

  /** It cannot be admitted in this step, others can. */
  AdmissionOutcome passOver(RequestState head, WaitReason reason) {
    state.waits.refuse(state.stepId, head, reason, null, 0, 0);
    state.waiting.passOver(head);
    return AdmissionOutcome.GONE;
  }

  /** It waits for a seat of its adapter. */
  AdmissionOutcome awaitAdapter(PlanBuffer plan, RequestState head) {
    if (head.awaitsAdapterSinceNs == ABSENT) {
      head.awaitsAdapterSinceNs = plan.beginNs();
    }
    state.waits.holdBack(state.stepId, head, WaitReason.MAX_LORAS);
    state.waiting.awaitAdapter(head);
    return AdmissionOutcome.GONE;
  }

  /** It is examined again in turn. */
  AdmissionOutcome holdBack(RequestState head, WaitReason reason) {
    state.waits.holdBack(state.stepId, head, reason);
    state.waiting.defer(head);
    return deferred(head);
  }

  /** It is set aside; there is a bound on how many are in a step. */
  AdmissionOutcome deferred(RequestState head) {
    deferrals++;
    lastDeferred = head;
    return AdmissionOutcome.GONE;
  }
}
