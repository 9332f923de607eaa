package dev.headway.scheduler.core;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.kvcache.Allocation;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/**
 * Second half of a step: waiting requests are admitted from the head of the queue until seats,
 * token budget or blocks are used up. Some heads are passed over; any other that is refused blocks
 * all requests behind it. The reason of the refusal is its wait reason.
 */
final class AdmissionPhase {

  /** Outcome for the head of the queue. */
  private enum Outcome {
    /** It left the queue; the next one is examined. */
    GONE,
    /** It stays and blocks those behind it. */
    REFUSED
  }

  private final SchedulerState state;
  private final StepBudget budget;
  private final ChunkRule chunks;
  private final Speculation speculation;
  private final Progress progress;
  private final PrefillThrottle throttle;
  private final Retirement retirement;
  private final PolicyDesk policies;
  private final Displacer displacer;
  private final LoraSeats loras;
  private final boolean chunked;
  private final boolean caching;
  private boolean onlyDecodes;

  AdmissionPhase(SchedulerState state, StepParts parts) {
    this.state = state;
    this.budget = parts.budget();
    this.chunks = parts.chunks();
    this.speculation = parts.speculation();
    this.progress = parts.progress();
    this.throttle = parts.throttle();
    this.retirement = parts.retirement();
    this.policies = parts.policies();
    displacer = new Displacer(state, parts);
    loras = new LoraSeats(state.config.maxLoras(), state.config.limits().maxNumSeqs());
    chunked = state.config.chunkedPrefill() == ChunkedPrefill.ENABLED;
    caching = state.config.prefixCache().isEnabled();
  }

  /**
   * Admits waiting requests.
   *
   * @param plan holds the entries of the running requests
   * @param onlyDecodes whether there are such entries and all of them decode
   * @param exhausted why nothing is left of the budget; null if something is
   */
  void plan(PlanBuffer plan, boolean onlyDecodes, WaitReason exhausted) {
    this.onlyDecodes = onlyDecodes;
    loras.begin(plan);
    state.waiting.begin();
    admitHeads(plan, exhausted);
    state.waiting.end();
    throttle.admissionsEnded(state.waiting.neverPassedOver() > 0);
  }

  private void admitHeads(PlanBuffer plan, WaitReason exhausted) {
    WaitReason noTokens = exhausted;
    while (state.waiting.size() > 0) {
      if (budget.isSpent()) {
        close(noTokens, null);
        return;
      }
      final WaitReason noSeat = whyNoSeat();
      if (noSeat != null && !displacer.isEnabled()) {
        close(noSeat, null);
        return;
      }
      final RequestState head = state.waiting.peek();
      if (head == null) {
        return; // all were passed over
      }
      if (noSeat != null && (isPassedOver(head) || !displacer.freesSeat(plan, head))) {
        close(noSeat, null);
        return;
      }
      if (examine(plan, head) == Outcome.REFUSED) {
        close(WaitReason.HEAD_OF_LINE, head);
        return;
      }
      noTokens = WaitReason.MAX_NUM_BATCHED_TOKENS;
    }
  }

  /** Records why no other request is admitted in this step. */
  void close(WaitReason reason, @Nullable RequestState blocker) {
    if (state.waiting.size() > 0) {
      state.waits.closeAdmissions(state.stepId, reason, blocker);
    }
  }

  private @Nullable WaitReason whyNoSeat() {
    if (state.running.isFull()) {
      return WaitReason.MAX_NUM_SEQS;
    }
    return state.running.size() >= state.limits.maxNumActiveSeqs
        ? WaitReason.MAX_NUM_ACTIVE_SEQS
        : null;
  }

  private Outcome examine(PlanBuffer plan, RequestState head) {
    final int slots = Math.min(head.knownTokens, state.limits.maxModelLen);
    if (state.limits.finishesUnschedulable && state.limits.isBeyondAdmission(slots)) {
      // it was preempted holding the most blocks it can ever get
      return end(plan, head, FinishReason.KV_CACHE_EXHAUSTED);
    }
    if (awaitsStaleOutput(head)) {
      return passOver(head, WaitReason.STALE_OUTPUT);
    }
    if (loras.lacksSeat(head)) {
      return passOver(head, WaitReason.MAX_LORAS);
    }
    final Outcome ruling = askGate(plan, head);
    if (ruling != null) {
      return ruling;
    }
    final int cached = state.kv.lookup(head.kv());
    if (head.preemptions == 0) {
      head.cachedTokens = cached;
    }
    return size(plan, head, cached);
  }

  /** Returns the outcome decided by the admission policy, or null if the head may be admitted. */
  private @Nullable Outcome askGate(PlanBuffer plan, RequestState head) {
    return switch (policies.gate(head)) {
      case ADMIT -> null;
      case DEFER -> state.running.size() == 0 ? null : passOver(head, WaitReason.POLICY_DEFERRED);
      case REJECT -> end(plan, head, FinishReason.REJECTED_BY_POLICY);
    };
  }

  /** Whether it lacks more than a seat. */
  private boolean isPassedOver(RequestState head) {
    return awaitsStaleOutput(head) || loras.lacksSeat(head);
  }

  private static boolean awaitsStaleOutput(RequestState head) {
    return head.staleTokens > 0 && !head.discardsStale;
  }

  /** Determines how many tokens the head gets, and tries to allocate for them. */
  private Outcome size(PlanBuffer plan, RequestState head, int cached) {
    final int missing = head.knownTokens - cached;
    if (throttle.defers() && missing > 1) {
      return refuse(head, WaitReason.PREFILL_THROTTLED, missing, 0);
    }
    final int padding = speculation.padding(missing, onlyDecodes);
    if (padding > 0 && isBeyondStep(cached, missing + padding)) {
      return refuse(head, WaitReason.DRAFT_PADDING, missing + padding, budget.largestChunk());
    }
    final int wanted = missing + padding;
    final int capped = chunks.largest(head, wanted);
    if (!chunked && capped > budget.largestChunk()) {
      return refuse(head, WaitReason.CHUNKED_PREFILL_DISABLED, capped, budget.largestChunk());
    }
    final int tokens = chunks.align(head, cached, Math.min(capped, budget.largestChunk()));
    if (tokens == 0) {
      return refuse(head, WaitReason.BLOCK_ALIGNMENT, capped, budget.largestChunk());
    }
    return allocate(plan, head, cached, tokens, draftsGiven(padding, tokens - missing));
  }

  /**
   * The cap for long prompts may leave no room for padding, which vLLM puts into the plan anyway.
   */
  private int draftsGiven(int padding, int room) {
    return state.limits.finishesUnschedulable ? Math.min(padding, Math.max(0, room)) : padding;
  }

  private boolean isBeyondStep(int cached, int tokens) {
    return tokens > budget.largestChunk() || cached + tokens > state.limits.maxModelLen;
  }

  private Outcome allocate(
      PlanBuffer plan, RequestState head, int cached, int tokens, int padding) {
    final int reserved =
        state.running.size() == 0 ? 0 : policies.blocksToKeepFree(head, cached, tokens);
    final Allocation answer = tryBlocks(head, tokens, reserved);
    if (isShort(answer) && displacer.freesBlocks(plan, head, answer.neededBlocks())) {
      return examine(plan, head); // blocks it has hit may no longer be computed
    }
    return switch (answer.status()) {
      case ALLOCATED -> {
        head.hostCachedTokens = answer.hostTokens();
        yield admit(plan, head, cached, tokens, padding);
      }
      case BLOCKS_SHORT -> refuseBlocks(plan, head, WaitReason.MEMORY_INSUFFICIENT, answer);
      case WATERMARK_SHORT ->
          refuseBlocks(
              plan,
              head,
              reserved > state.limits.watermarkBlocks
                  ? WaitReason.CAPACITY_RESERVED
                  : WaitReason.WATERMARK,
              answer);
      case PREFIX_IN_PROGRESS -> refuse(head, WaitReason.PREFIX_IN_PROGRESS, 0, 0);
      case FULL_SEQUENCE_SHORT ->
          refuseBlocks(plan, head, WaitReason.FULL_SEQUENCE_RESERVE, answer);
    };
  }

  private static boolean isShort(Allocation answer) {
    return !answer.isAllocated() && answer.status() != Allocation.Status.PREFIX_IN_PROGRESS;
  }

  private Allocation tryBlocks(RequestState head, int tokens, int reserved) {
    final int reserve =
        state.limits.wholeSequenceGate ? Math.min(head.knownTokens, state.limits.maxModelLen) : 0;
    final int keepFree =
        state.running.size() == 0 ? 0 : Math.max(state.limits.watermarkBlocks, reserved);
    return state.kv.allocate(head.kv(), tokens, speculation.lookaheadTokens(), reserve, keepFree);
  }

  private Outcome refuseBlocks(
      PlanBuffer plan, RequestState head, WaitReason reason, Allocation answer) {
    final boolean poolIsEmpty = state.kv.freeBlocks() == state.kv.shape().usableBlocks();
    if (state.limits.finishesUnschedulable && poolIsEmpty) {
      return end(plan, head, FinishReason.KV_CACHE_EXHAUSTED); // not even now
    }
    return refuse(head, reason, answer.neededBlocks(), state.kv.freeBlocks());
  }

  private Outcome end(PlanBuffer plan, RequestState head, FinishReason reason) {
    retirement.retire(head, reason, ABSENT, null, plan.beginNs());
    return Outcome.GONE;
  }

  private Outcome passOver(RequestState head, WaitReason reason) {
    state.waits.refuse(state.stepId, head, reason, null, 0, 0);
    state.waiting.passOver(head);
    return Outcome.GONE;
  }

  private Outcome refuse(RequestState head, WaitReason reason, int needed, int free) {
    state.waits.refuse(state.stepId, head, reason, null, needed, free);
    return Outcome.REFUSED;
  }

  private Outcome admit(PlanBuffer plan, RequestState head, int cached, int tokens, int padding) {
    final boolean resumed = head.status == RequestStatus.PREEMPTED;
    state.waiting.remove(head);
    state.waits.admitted(head);
    countLookup(head, cached);
    if (resumed) {
      state.preemptedWaiting--;
    }
    if (head.admittedStepId == 0) {
      head.reserve(longestOutput(head), state.config.speculation().numSpeculativeTokens());
    }
    head.admittedStepId = state.stepId;
    head.status = RequestStatus.RUNNING;
    head.computedTokens = cached;
    state.running.add(head);
    state.counts.admissions++;
    loras.take(head);
    final EntryKind kind = resumed ? EntryKind.RESUMED : EntryKind.NEW;
    state.events.admitted(
        state.stepId, head, kind, cached, head.hostCachedTokens, lostTokens(head, cached));
    if (padding > 0) {
      head.setDraftsOnDevice(padding);
    }
    head.noteBlocks();
    plan.markNoBlocks();
    plan.countBlocks(head.kv());
    progress.plan(plan, head, kind, tokens, padding);
    policies.admitted(head, cached);
    state.waiting.admitted();
    return Outcome.GONE;
  }

  private int longestOutput(RequestState request) {
    final int room = state.limits.maxModelLen - request.promptTokens();
    return Math.min(request.maxTokens(), Math.max(1, room));
  }

  /** Tokens of full blocks that it had computed and that are no longer cached. */
  private int lostTokens(RequestState request, int cached) {
    final int blockSize = state.kv.shape().blockSize();
    final int before = Math.min(request.computedBeforePreemption, request.knownTokens - 1);
    return Math.max(0, before / blockSize * blockSize - cached);
  }

  private void countLookup(RequestState request, int cached) {
    if (caching && request.request().prefixReuse() != PrefixReuse.SKIPPED) {
      state.counts.lookedUp(request, cached);
    }
  }
}
