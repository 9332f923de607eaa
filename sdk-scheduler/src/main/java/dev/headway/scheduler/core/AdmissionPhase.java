package dev.headway.scheduler.core;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.kvcache.Allocation;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
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

  /** Outputs of a session's turn that may come after its end. */
  private static final int LATE_OUTPUTS = 8;

  private final SchedulerState state;
  private final StepBudget budget;
  private final AdmissionChunk chunk;
  private final AdmissionBlocks blocks;
  private final Progress progress;
  private final @Nullable PrefillThrottle throttle;
  private final @Nullable PolicyDesk policies;
  private final @Nullable Displacer displacer;
  private final @Nullable LoraSeats loras;
  private final @Nullable EncoderBudget encoder;
  private final @Nullable KvExchange exchange;
  private final @Nullable OutsideAdmission outside;
  private final Refusals refusals;

  AdmissionPhase(
      SchedulerState state,
      ChunkRule chunks,
      Progress progress,
      Preemption preemption,
      Retirement retirement,
      @Nullable PolicyDesk policies) {
    this.state = state;
    this.progress = progress;
    this.policies = policies;
    budget = state.budget;
    throttle = state.throttle;
    loras = state.loras;
    encoder = state.encoder;
    exchange = state.exchange;
    chunk = new AdmissionChunk(state, chunks);
    blocks = new AdmissionBlocks(state, policies);
    refusals = new Refusals(state, retirement, chunk, blocks);
    outside =
        exchange == null
            ? null
            : new OutsideAdmission(state, exchange, blocks, refusals, retirement, preemption);
    displacer = Displacer.of(state, progress, preemption);
  }

  /**
   * Admits waiting requests.
   *
   * @param plan holds the entries of the running requests
   * @param onlyDecodes whether there are such entries and all of them decode
   * @param exhausted why nothing is left of the budget; null if something is
   */
  void plan(PlanBuffer plan, boolean onlyDecodes, WaitReason exhausted) {
    if (state.waiting.candidates() > 0) {
      chunk.begin(onlyDecodes);
      if (loras != null) {
        loras.begin(plan, state.waiting);
      }
      refusals.deferrals = 0;
      refusals.lastDeferred = null;
      state.waiting.begin();
      admitHeads(plan, exhausted);
      state.waiting.end();
    }
    if (throttle != null) {
      throttle.admissionsEnded(state.waiting.neverPassedOver() > 0);
    }
  }

  private void admitHeads(PlanBuffer plan, WaitReason exhausted) {
    WaitReason noTokens = exhausted;
    while (state.waiting.candidates() > 0) {
      if (budget.isSpent()) {
        close(noTokens, null);
        return;
      }
      final WaitReason noSeat = whyNoSeat();
      if (noSeat != null && displacer == null) {
        close(noSeat, null);
        return;
      }
      if (refusals.deferrals == Refusals.MOST_DEFERRALS) {
        close(WaitReason.HEAD_OF_LINE, refusals.lastDeferred);
        return;
      }
      final RequestState head = state.waiting.peek();
      if (head == null) {
        return; // all were passed over
      }
      if (exchange != null) {
        exchange.loads.reached(head);
      }
      final AdmissionOutcome outcome =
          noSeat == null ? examine(plan, head) : displaceSeat(plan, head);
      if (outcome != AdmissionOutcome.GONE) {
        if (encoder != null) {
          encoder.refused(head);
        }
        closeBehind(head, outcome, noSeat);
        return;
      }
      noTokens = WaitReason.MAX_NUM_BATCHED_TOKENS;
    }
  }

  private void closeBehind(
      RequestState head, AdmissionOutcome outcome, @Nullable WaitReason noSeat) {
    if (outcome == AdmissionOutcome.SEATLESS && noSeat != null) {
      close(noSeat, null);
    } else {
      close(WaitReason.HEAD_OF_LINE, head);
    }
  }

  /** Records why no other request is admitted in this step. */
  void close(WaitReason reason, @Nullable RequestState blocker) {
    if (state.waiting.candidates() > 0) {
      state.waits.closeAdmissions(state.stepId, reason, blocker);
    }
  }

  private @Nullable WaitReason whyNoSeat() {
    final Sessions sessions = state.sessions;
    if (state.running.isFull() || (sessions != null && lackSeat(sessions))) {
      return WaitReason.MAX_NUM_SEQS;
    }
    return state.running.size() >= state.limits.maxNumActiveSeqs
        ? WaitReason.MAX_NUM_ACTIVE_SEQS
        : null;
  }

  /** Whether idle sessions hold the seats that are left, and keep them. */
  private boolean lackSeat(Sessions sessions) {
    return state.running.size() + sessions.seats() >= state.limits.maxNumSeqs
        && (state.waiting.candidates() == 0 || !sessions.giveSeat());
  }

  private AdmissionOutcome examine(PlanBuffer plan, RequestState head) {
    if (isUnschedulable(head)) {
      // it was preempted holding the most blocks it can ever get
      return refusals.end(plan, head, FinishReason.KV_CACHE_EXHAUSTED);
    }
    if (head.holdFailure != null && state.holds != null) {
      state.holds.noticed(head);
      return refusals.passOver(head, WaitReason.of(head.request().holds().getFirst().reason()));
    }
    if (awaitsStaleOutput(head)) {
      return refusals.passOver(head, WaitReason.STALE_OUTPUT);
    }
    if (loras != null && loras.lacksSeat(head)) {
      return refusals.awaitAdapter(plan, head);
    }
    final AdmissionOutcome ruling = askGate(plan, head);
    return ruling != null ? ruling : place(plan, head);
  }

  /**
   * Takes a running request's seat for the head, and blocks too if they are missing. Not if the
   * head would be refused all the same: that would only cost work.
   */
  private AdmissionOutcome displaceSeat(PlanBuffer plan, RequestState head) {
    if (isUnschedulable(head) || awaitsStaleOutput(head)) {
      return AdmissionOutcome.SEATLESS;
    }
    if (loras != null && loras.lacksSeat(head)) {
      return refusals.awaitAdapter(plan, head);
    }
    if (displacer == null || !displacer.hasVictim(head)) {
      return AdmissionOutcome.SEATLESS;
    }
    final AdmissionOutcome ruling = askGate(plan, head);
    if (ruling != null) {
      return ruling;
    }
    final int cached = lookUp(head); // in the place of another it computes what it lacks
    if (isLongInVain(head, cached)
        || chunk.size(head, cached) != null
        || isPartInVain(head, cached)) {
      return AdmissionOutcome.SEATLESS;
    }
    blocks.reserve(head, cached, chunk.tokens());
    return displacer.freesSeat(plan, head, blocks.needed(head, chunk.tokens()))
        ? placeInstead(plan, head)
        : AdmissionOutcome.SEATLESS;
  }

  private boolean isUnschedulable(RequestState head) {
    final int slots = Math.min(head.knownTokens, state.limits.maxModelLen);
    return state.limits.finishesUnschedulable && state.limits.isBeyondAdmission(slots);
  }

  /** Returns the outcome decided by the admission policy, or null if the head may be admitted. */
  private @Nullable AdmissionOutcome askGate(PlanBuffer plan, RequestState head) {
    if (policies == null) {
      return null;
    }
    return switch (policies.gate(head)) {
      case ADMIT -> null;
      case DEFER ->
          state.running.size() == 0 ? null : refusals.holdBack(head, WaitReason.POLICY_DEFERRED);
      case HOLD -> holdByGate(policies, plan, head);
      case REJECT -> refusals.end(plan, head, FinishReason.REJECTED_BY_POLICY);
    };
  }

  private @Nullable AdmissionOutcome holdByGate(
      PolicyDesk policies, PlanBuffer plan, RequestState head) {
    final Hold hold = policies.hold(head);
    if (hold == null) {
      return null; // an invalid answer
    }
    state.holds().holdByGate(head, hold, plan.beginNs());
    return refusals.deferred(head);
  }

  private static boolean awaitsStaleOutput(RequestState head) {
    return head.staleTokens > head.voidTokens;
  }

  private int lookUp(RequestState head) {
    if (head.computedTokens > 0) {
      return head.computedTokens; // a session, which has kept its blocks
    }
    final int cached = state.kv.lookup(head.kv());
    if (head.preemptions == 0) {
      head.cachedTokens = cached;
    }
    if (head.remote != null) {
      head.remote.tokens = 0;
    }
    return cached;
  }

  /** Whether as many long prompts are being computed as there may be; shorter ones go on. */
  private boolean isLongInVain(RequestState head, int cached) {
    return state.partials != null && state.partials.refusesLong(head.knownTokens - cached);
  }

  /** Whether its prompt would be one more of those that are computed in parts. */
  private boolean isPartInVain(RequestState head, int cached) {
    return state.partials != null
        && state.partials.refusesPart(head.knownTokens - cached, chunk.tokens());
  }

  /** Admits the head if it gets tokens and blocks. */
  private AdmissionOutcome place(PlanBuffer plan, RequestState head) {
    final int local = lookUp(head);
    final AdmissionOutcome elsewhere = outside == null ? null : outside.ask(plan, head, local);
    if (elsewhere != null) {
      return elsewhere;
    }
    final int cached = local + external(head);
    if (isLongInVain(head, cached)) {
      return refusals.holdBack(head, WaitReason.MAX_NUM_PARTIAL_PREFILLS);
    }
    final WaitReason refusal = chunk.size(head, cached);
    if (refusal != null) {
      return refusals.refuseTokens(head, refusal);
    }
    if (isPartInVain(head, cached)) {
      return refusals.refuse(head, WaitReason.MAX_NUM_PARTIAL_PREFILLS, 0, 0);
    }
    blocks.reserve(head, cached, chunk.tokens());
    return allocate(plan, head, cached, Integer.MAX_VALUE);
  }

  /**
   * Admits the head in the place of a request that was displaced for it, whose blocks are enough
   * for its chunk. No policy is asked again: another answer would make the displacement vain.
   * Should it be vain all the same, the head displaces none until it is admitted.
   */
  private AdmissionOutcome placeInstead(PlanBuffer plan, RequestState head) {
    final int promised = chunk.tokens();
    final int cached = lookUp(head); // blocks it has hit may no longer be computed
    final WaitReason refusal = chunk.sizeAgain(head, cached);
    final AdmissionOutcome outcome;
    if (refusal != null) {
      outcome = refusals.refuseTokens(head, refusal);
    } else if (isPartInVain(head, cached)) {
      outcome = refusals.refuse(head, WaitReason.MAX_NUM_PARTIAL_PREFILLS, 0, 0);
    } else {
      outcome = allocate(plan, head, cached, promised);
    }
    head.displacedInVain = outcome != AdmissionOutcome.GONE;
    return outcome;
  }

  /**
   * Admits the head if it gets blocks.
   *
   * @param promised tokens that there are blocks for; it gets more if there are more
   */
  private AdmissionOutcome allocate(PlanBuffer plan, RequestState head, int cached, int promised) {
    Allocation answer = blocks.allocate(head, chunk.tokens());
    if (AdmissionBlocks.isShort(answer)
        && chunk.tokens() > promised
        && (state.partials == null
            || !state.partials.refusesPart(head.knownTokens - cached, promised))) {
      chunk.shorten(head, cached, promised);
      answer = blocks.allocate(head, chunk.tokens());
    }
    final boolean kept = head.computedTokens > 0;
    while (blocks.areGivenBySessions(head, answer)) {
      if (kept && head.computedTokens == 0) { // it was the last to give
        return refusals.refuse(head, WaitReason.MEMORY_INSUFFICIENT, 0, state.kv.freeBlocks());
      }
      answer = blocks.allocate(head, chunk.tokens());
    }
    while (outside != null && outside.areGivenByLoads(head, answer)) {
      if (kept && head.computedTokens == 0) { // its own: what is missing is not there
        return refusals.refuseBlocks(plan, head, WaitReason.MEMORY_INSUFFICIENT, answer);
      }
      answer = blocks.allocate(head, chunk.tokens());
    }
    if (displacer != null
        && AdmissionBlocks.isShort(answer)
        && external(head) == 0
        && displacer.hasVictim(head)) {
      if (displacer.freesBlocks(plan, head, blocks.needed(head, chunk.tokens()))) {
        return placeInstead(plan, head);
      }
      answer = blocks.allocate(head, chunk.tokens()); // the answer is a reused object
    }
    if (encoder != null && !answer.isAllocated()) {
      encoder.release(head);
    }
    if (!answer.isAllocated()) {
      return refusals.refuseAllocation(plan, head, answer);
    }
    head.hostCachedTokens = answer.hostTokens();
    return outside == null || outside.isAdmitted(head)
        ? admit(plan, head, cached)
        : outside.fail(plan, head);
  }

  private AdmissionOutcome admit(PlanBuffer plan, RequestState head, int cached) {
    final boolean resumed = head.status == RequestStatus.PREEMPTED;
    final EntryKind kind = resumed ? EntryKind.RESUMED : EntryKind.NEW;
    final int external = external(head);
    leaveQueue(head, cached - external, external);
    final int loadedAhead = exchange == null ? 0 : exchange.loads.admitted(head);
    if (resumed) {
      state.preemptedWaiting--;
    }
    reserve(plan, head);
    takeSeat(head, cached);
    final int found = cached - external - loadedAhead;
    state.events.admitted(
        state.stepId,
        head,
        kind,
        cached,
        head.hostCachedTokens,
        external + loadedAhead,
        lostTokens(head, cached),
        found > 0 ? head.kv().prefixHash(found) : 0);
    enter(plan, head, kind, external);
    if (policies != null) {
      policies.admitted(head, cached);
    }
    state.waiting.admitted();
    return AdmissionOutcome.GONE;
  }

  private void leaveQueue(RequestState head, int local, int external) {
    state.waiting.remove(head);
    state.waits.admitted(head);
    if (head.computedTokens == 0) {
      state.counts.lookedUp(head, local);
      if (exchange != null) {
        state.counts.askedOutside(head, local, external);
      }
    }
  }

  /** Makes room for its outputs before its first step, and in each turn of a session. */
  private void reserve(PlanBuffer plan, RequestState head) {
    final boolean first = head.admittedStepId == 0;
    if (head.session != null && state.sessions != null) {
      state.sessions.admitted(head, head.session);
      head.reserve(longestOutput(head) + LATE_OUTPUTS, state.limits.numSpeculativeTokens);
    } else if (first) {
      head.reserve(longestOutput(head), state.limits.numSpeculativeTokens);
    }
    if (first) {
      head.listener().onFirstAdmitted(head, plan.beginNs());
    }
  }

  private void takeSeat(RequestState head, int cached) {
    head.admittedStepId = state.stepId;
    head.displacedInVain = false;
    head.status = RequestStatus.RUNNING;
    if (head.adapterCount != null) {
      head.adapterCount.started();
    }
    head.computedTokens = cached;
    if (state.partials != null) {
      state.partials.admitted(head, head.knownTokens - cached);
    }
    state.running.add(head);
    state.counts.admissions++;
    if (loras != null) {
      head.awaitsAdapterSinceNs = ABSENT;
      loras.take(head);
    }
  }

  private void enter(PlanBuffer plan, RequestState head, EntryKind kind, int external) {
    final int padding = chunk.padding();
    if (padding > 0) {
      head.setDraftsOnDevice(padding);
    }
    head.noteBlocks();
    plan.markNoBlocks();
    plan.countBlocks(head.kv());
    progress.plan(plan, head, kind, chunk.tokens(), padding);
    if (external > 0) {
      plan.loadBefore(external);
    }
    if (padding > 0 && state.limits.finishesUnschedulable) { // vLLM counts it as drafts
      plan.setPaddedDrafts(plan.size() - 1, padding);
    }
  }

  /** Tokens from outside that the head is about to be admitted with. */
  private int external(RequestState head) {
    return exchange == null ? 0 : KvExchange.externalTokens(head);
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
}
