package dev.headway.scheduler.core;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.connector.ExternalTokens;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
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
    REFUSED,
    /** It stays, like those behind it, because no running request can give it its seat. */
    SEATLESS
  }

  /** Bounds what a gate that defers everything costs; the next step goes on from there. */
  private static final int MOST_DEFERRALS = 256;

  /** Outputs of a session's turn that may come after its end. */
  private static final int LATE_OUTPUTS = 8;

  private final SchedulerState state;
  private final StepBudget budget;
  private final AdmissionChunk chunk;
  private final AdmissionBlocks blocks;
  private final Progress progress;
  private final Retirement retirement;
  private final @Nullable PrefillThrottle throttle;
  private final @Nullable PolicyDesk policies;
  private final @Nullable Displacer displacer;
  private final @Nullable LoraSeats loras;
  private final @Nullable EncoderBudget encoder;
  private final @Nullable KvExchange exchange;
  private final Preemption preemption;
  private final boolean caching;

  /** Requests that the gate has deferred in this step, and the last of them. */
  private int deferrals;

  private @Nullable RequestState lastDeferred;

  AdmissionPhase(
      SchedulerState state,
      ChunkRule chunks,
      Progress progress,
      Preemption preemption,
      Retirement retirement,
      @Nullable PolicyDesk policies) {
    this.state = state;
    this.progress = progress;
    this.retirement = retirement;
    this.policies = policies;
    budget = state.budget;
    throttle = state.throttle;
    loras = state.loras;
    encoder = state.encoder;
    exchange = state.exchange;
    this.preemption = preemption;
    chunk = new AdmissionChunk(state, chunks);
    blocks = new AdmissionBlocks(state, policies);
    displacer = Displacer.of(state, progress, preemption);
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
    if (state.waiting.candidates() > 0) {
      chunk.begin(onlyDecodes);
      if (loras != null) {
        loras.begin(plan, state.waiting);
      }
      deferrals = 0;
      lastDeferred = null;
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
      if (deferrals == MOST_DEFERRALS) {
        close(WaitReason.HEAD_OF_LINE, lastDeferred);
        return;
      }
      final RequestState head = state.waiting.peek();
      if (head == null) {
        return; // all were passed over
      }
      if (exchange != null) {
        exchange.loads.reached(head);
      }
      final Outcome outcome = noSeat == null ? examine(plan, head) : displaceSeat(plan, head);
      if (outcome != Outcome.GONE) {
        if (encoder != null) {
          encoder.refused(head);
        }
        closeBehind(head, outcome, noSeat);
        return;
      }
      noTokens = WaitReason.MAX_NUM_BATCHED_TOKENS;
    }
  }

  private void closeBehind(RequestState head, Outcome outcome, @Nullable WaitReason noSeat) {
    if (outcome == Outcome.SEATLESS && noSeat != null) {
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

  private Outcome examine(PlanBuffer plan, RequestState head) {
    if (isUnschedulable(head)) {
      // it was preempted holding the most blocks it can ever get
      return end(plan, head, FinishReason.KV_CACHE_EXHAUSTED);
    }
    if (head.holdFailure != null && state.holds != null) {
      state.holds.noticed(head);
      return passOver(head, WaitReason.of(head.request().holds().getFirst().reason()));
    }
    if (awaitsStaleOutput(head)) {
      return passOver(head, WaitReason.STALE_OUTPUT);
    }
    if (loras != null && loras.lacksSeat(head)) {
      return awaitAdapter(plan, head);
    }
    final Outcome ruling = askGate(plan, head);
    return ruling != null ? ruling : place(plan, head);
  }

  /**
   * Takes a running request's seat for the head, and blocks too if they are missing. Not if the
   * head would be refused all the same: that would only cost work.
   */
  private Outcome displaceSeat(PlanBuffer plan, RequestState head) {
    if (isUnschedulable(head) || awaitsStaleOutput(head)) {
      return Outcome.SEATLESS;
    }
    if (loras != null && loras.lacksSeat(head)) {
      return awaitAdapter(plan, head);
    }
    if (displacer == null || !displacer.hasVictim(head)) {
      return Outcome.SEATLESS;
    }
    final Outcome ruling = askGate(plan, head);
    if (ruling != null) {
      return ruling;
    }
    final int cached = lookUp(head); // in the place of another it computes what it lacks
    if (isLongInVain(head, cached)
        || chunk.size(head, cached) != null
        || isPartInVain(head, cached)) {
      return Outcome.SEATLESS;
    }
    blocks.reserve(head, cached, chunk.tokens());
    return displacer.freesSeat(plan, head, blocks.needed(head, chunk.tokens()))
        ? placeInstead(plan, head)
        : Outcome.SEATLESS;
  }

  private boolean isUnschedulable(RequestState head) {
    final int slots = Math.min(head.knownTokens, state.limits.maxModelLen);
    return state.limits.finishesUnschedulable && state.limits.isBeyondAdmission(slots);
  }

  /** Returns the outcome decided by the admission policy, or null if the head may be admitted. */
  private @Nullable Outcome askGate(PlanBuffer plan, RequestState head) {
    if (policies == null) {
      return null;
    }
    return switch (policies.gate(head)) {
      case ADMIT -> null;
      case DEFER -> state.running.size() == 0 ? null : holdBack(head, WaitReason.POLICY_DEFERRED);
      case HOLD -> holdByGate(policies, plan, head);
      case REJECT -> end(plan, head, FinishReason.REJECTED_BY_POLICY);
    };
  }

  private @Nullable Outcome holdByGate(PolicyDesk policies, PlanBuffer plan, RequestState head) {
    final Hold hold = policies.hold(head);
    if (hold == null) {
      return null; // an invalid answer
    }
    state.holds().holdByGate(head, hold, plan.beginNs());
    deferrals++;
    lastDeferred = head;
    return Outcome.GONE;
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
  private Outcome place(PlanBuffer plan, RequestState head) {
    final int local = lookUp(head);
    final Outcome elsewhere = exchange == null ? null : askOutside(exchange, plan, head, local);
    if (elsewhere != null) {
      return elsewhere;
    }
    final int cached = local + external(head);
    if (isLongInVain(head, cached)) {
      return holdBack(head, WaitReason.MAX_NUM_PARTIAL_PREFILLS);
    }
    final WaitReason refusal = chunk.size(head, cached);
    if (refusal != null) {
      return refuseTokens(head, refusal);
    }
    if (isPartInVain(head, cached)) {
      return refuse(head, WaitReason.MAX_NUM_PARTIAL_PREFILLS, 0, 0);
    }
    blocks.reserve(head, cached, chunk.tokens());
    return allocate(plan, head, cached, Integer.MAX_VALUE);
  }

  /** Asks the KV connector; returns null if the head may be admitted now. */
  private @Nullable Outcome askOutside(
      KvExchange exchange, PlanBuffer plan, RequestState head, int local) {
    if (head.computedTokens > 0) {
      return null;
    }
    final ExternalTokens.Kind answer = exchange.lookUp(head, local);
    if (answer == null) {
      return failOutside(exchange, plan, head);
    }
    return switch (answer) {
      case NONE, IN_STEP -> null;
      case UNDECIDED -> awaitLookup(head);
      case AHEAD -> load(exchange, plan, head, local);
    };
  }

  private Outcome failOutside(KvExchange exchange, PlanBuffer plan, RequestState head) {
    retirement.retire(
        head, FinishReason.KV_LOAD_FAILED, ABSENT, exchange.desk.failure(), plan.beginNs());
    return Outcome.GONE;
  }

  private Outcome awaitLookup(RequestState head) {
    state.waits.holdBack(state.stepId, head, WaitReason.KV_LOOKUP);
    state.waiting.defer(head);
    deferrals++;
    lastDeferred = head;
    return Outcome.GONE;
  }

  /** Begins a load between steps if there are blocks for it. */
  private Outcome load(KvExchange exchange, PlanBuffer plan, RequestState head, int local) {
    final int tokens = external(head);
    blocks.reserve(head, local, tokens);
    Allocation answer = blocks.load(exchange, head, tokens);
    while (sessionsGive(head, answer)) {
      answer = blocks.load(exchange, head, tokens);
    }
    while (AdmissionBlocks.isShort(answer) && exchange.loads.giveBlocks(head, preemption)) {
      answer = blocks.load(exchange, head, tokens);
    }
    if (!answer.isAllocated()) {
      return refuseAllocation(plan, head, answer);
    }
    countLookup(head, local);
    state.counts.askedOutside(head, local, tokens);
    if (!exchange.desk.admitted(head, tokens)) {
      return failOutside(exchange, plan, head);
    }
    exchange.loads.begin(head, KvExchange.of(head), local + tokens);
    return Outcome.GONE;
  }

  /**
   * Admits the head in the place of a request that was displaced for it, whose blocks are enough
   * for its chunk. No policy is asked again: another answer would make the displacement vain.
   * Should it be vain all the same, the head displaces none until it is admitted.
   */
  private Outcome placeInstead(PlanBuffer plan, RequestState head) {
    final int promised = chunk.tokens();
    final int cached = lookUp(head); // blocks it has hit may no longer be computed
    final WaitReason refusal = chunk.sizeAgain(head, cached);
    final Outcome outcome;
    if (refusal != null) {
      outcome = refuseTokens(head, refusal);
    } else if (isPartInVain(head, cached)) {
      outcome = refuse(head, WaitReason.MAX_NUM_PARTIAL_PREFILLS, 0, 0);
    } else {
      outcome = allocate(plan, head, cached, promised);
    }
    head.displacedInVain = outcome != Outcome.GONE;
    return outcome;
  }

  private Outcome refuseTokens(RequestState head, WaitReason reason) {
    if (encoder != null && reason == encoder.refusal(head)) {
      return refuse(head, reason, encoder.needed(), encoder.available());
    }
    if (reason == WaitReason.PREFILL_THROTTLED) {
      return refuse(head, reason, chunk.wanted(), 0);
    }
    state.tokensShort |= reason != WaitReason.DRAFT_PADDING;
    return refuse(head, reason, chunk.wanted(), budget.largestChunk());
  }

  /**
   * Admits the head if it gets blocks.
   *
   * @param promised tokens that there are blocks for; it gets more if there are more
   */
  private Outcome allocate(PlanBuffer plan, RequestState head, int cached, int promised) {
    Allocation answer = blocks.allocate(head, chunk.tokens());
    if (AdmissionBlocks.isShort(answer)
        && chunk.tokens() > promised
        && (state.partials == null
            || !state.partials.refusesPart(head.knownTokens - cached, promised))) {
      chunk.shorten(head, cached, promised);
      answer = blocks.allocate(head, chunk.tokens());
    }
    final boolean kept = head.computedTokens > 0;
    while (sessionsGive(head, answer)) {
      if (kept && head.computedTokens == 0) { // it was the last to give
        return refuse(head, WaitReason.MEMORY_INSUFFICIENT, 0, state.kv.freeBlocks());
      }
      answer = blocks.allocate(head, chunk.tokens());
    }
    while (exchange != null
        && AdmissionBlocks.isShort(answer)
        && exchange.loads.giveBlocks(head, preemption)) {
      if (kept && head.computedTokens == 0) { // its own: what is missing is not there
        return refuseBlocks(plan, head, WaitReason.MEMORY_INSUFFICIENT, answer);
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
      return refuseAllocation(plan, head, answer);
    }
    head.hostCachedTokens = answer.hostTokens();
    return exchange == null || exchange.desk.admitted(head, external(head))
        ? admit(plan, head, cached)
        : failOutside(exchange, plan, head);
  }

  /** Whether sessions that wait have given up blocks that the head lacks. */
  private boolean sessionsGive(RequestState head, Allocation answer) {
    return state.sessions != null
        && AdmissionBlocks.isShort(answer)
        && state.sessions.giveEnough(head, answer.neededBlocks());
  }

  private Outcome refuseAllocation(PlanBuffer plan, RequestState head, Allocation answer) {
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

  private Outcome awaitAdapter(PlanBuffer plan, RequestState head) {
    if (head.awaitsAdapterSinceNs == ABSENT) {
      head.awaitsAdapterSinceNs = plan.beginNs();
    }
    state.waits.holdBack(state.stepId, head, WaitReason.MAX_LORAS);
    state.waiting.awaitAdapter(head);
    return Outcome.GONE;
  }

  /** It is examined again in turn. */
  private Outcome holdBack(RequestState head, WaitReason reason) {
    state.waits.holdBack(state.stepId, head, reason);
    state.waiting.defer(head);
    deferrals++;
    lastDeferred = head;
    return Outcome.GONE;
  }

  private Outcome refuse(RequestState head, WaitReason reason, int needed, int free) {
    state.waits.refuse(state.stepId, head, reason, null, needed, free);
    return Outcome.REFUSED;
  }

  private Outcome admit(PlanBuffer plan, RequestState head, int cached) {
    final boolean resumed = head.status == RequestStatus.PREEMPTED;
    state.waiting.remove(head);
    state.waits.admitted(head);
    final int external = external(head);
    if (head.computedTokens == 0) {
      countLookup(head, cached - external);
      if (exchange != null) {
        state.counts.askedOutside(head, cached - external, external);
      }
    }
    final int loadedAhead = exchange == null ? 0 : exchange.loads.admitted(head);
    if (resumed) {
      state.preemptedWaiting--;
    }
    if (head.session != null && state.sessions != null) {
      state.sessions.ended(head);
      head.reserve(longestOutput(head) + LATE_OUTPUTS, state.limits.numSpeculativeTokens);
    } else if (head.admittedStepId == 0) {
      head.reserve(longestOutput(head), state.limits.numSpeculativeTokens);
    }
    if (head.admittedStepId == 0) {
      head.listener().onFirstAdmitted(head, plan.beginNs());
    }
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
    final EntryKind kind = resumed ? EntryKind.RESUMED : EntryKind.NEW;
    state.events.admitted(
        state.stepId,
        head,
        kind,
        cached,
        head.hostCachedTokens,
        external + loadedAhead,
        lostTokens(head, cached));
    if (chunk.padding() > 0) {
      head.setDraftsOnDevice(chunk.padding());
    }
    head.noteBlocks();
    plan.markNoBlocks();
    plan.countBlocks(head.kv());
    progress.plan(plan, head, kind, chunk.tokens(), chunk.padding());
    if (external > 0) {
      plan.loadBefore(external);
    }
    if (chunk.padding() > 0 && state.limits.finishesUnschedulable) { // vLLM counts it as drafts
      plan.setPaddedDrafts(plan.size() - 1, chunk.padding());
    }
    if (policies != null) {
      policies.admitted(head, cached);
    }
    state.waiting.admitted();
    return Outcome.GONE;
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

  private void countLookup(RequestState request, int cached) {
    if (caching && request.request().prefixReuse() != PrefixReuse.SKIPPED) {
      state.counts.lookedUp(request, cached);
    }
  }
}
