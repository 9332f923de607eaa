package dev.headway.scheduler.core;

import dev.headway.api.request.RequestStatus;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.WaitReason;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/**
 * Puts a running request back into the waiting queue: its blocks are released and its progress
 * rewound; generated tokens stay and are computed again after the next admission.
 */
final class Preemption {

  private final SchedulerState state;

  Preemption(SchedulerState state) {
    this.state = state;
  }

  /**
   * Preempts a request that the caller has taken out of the running list.
   *
   * @param beneficiary the request that needs the blocks, or null in a cache reset
   * @param needed blocks that were needed, {@code free} those that were free
   */
  void preempt(
      RequestState victim,
      PreemptionCause cause,
      @Nullable RequestState beneficiary,
      int needed,
      int free) {
    // a chunk planned in this step and withdrawn is never computed; vLLM keeps it findable
    final int findable =
        state.limits.finishesUnschedulable ? victim.computedTokens : Integer.MAX_VALUE;
    preempt(victim, findable, cause, beneficiary, needed, free);
  }

  /**
   * The same between two steps, for the sake of no other request.
   *
   * @param findable leading tokens that are sure to be computed
   */
  void preempt(RequestState victim, int findable, PreemptionCause cause) {
    preempt(victim, findable, cause, null, 0, state.kv.freeBlocks());
  }

  /** Preempts all that runs, the latest first, and takes all blocks of requests that do not run. */
  void resetAll(long nowNs) {
    for (int i = state.running.size() - 1; i >= 0; i--) {
      final RequestState victim = state.running.removeAt(i);
      preempt(victim, PreemptionCause.CACHE_RESET, null, 0, state.kv.freeBlocks());
      state.waits.evicted(victim, nowNs);
    }
    if (state.sessions != null) {
      state.sessions.giveAll();
    }
    if (state.exchange != null && state.limits.finishesUnschedulable) {
      state.exchange.loads.giveAll(this);
    }
  }

  private void preempt(
      RequestState victim,
      int findable,
      PreemptionCause cause,
      @Nullable RequestState beneficiary,
      int needed,
      int free) {
    if (state.encoder != null) {
      state.encoder.release(victim);
    }
    if (state.partials != null) {
      state.partials.left(victim);
    }
    victim.pendingDrafts = 0;
    victim.placeholders = 0;
    if (cause != PreemptionCause.CACHE_RESET) {
      ProgressLaw.preempted(victim, victim.computedTokens);
    }
    takeBlocks(victim, findable, cause, beneficiary, Math.max(0, needed - free));
    leaveResultsBehind(victim, cause);
    state.waiting.addPreempted(victim);
    final WaitReason reason =
        cause == PreemptionCause.CACHE_RESET ? WaitReason.EVICTED : WaitReason.PREEMPTED;
    state.waits.refuse(state.stepId, victim, reason, beneficiary, needed, free);
  }

  /** Takes the blocks of a request that does not run; it keeps its place in the queue. */
  void giveBack(RequestState giver, PreemptionCause cause, @Nullable RequestState beneficiary) {
    takeBlocks(giver, giver.computedTokens, cause, beneficiary, 0);
    state.waits.gaveBack(state.stepId, giver);
  }

  private void takeBlocks(
      RequestState request,
      int findable,
      PreemptionCause cause,
      @Nullable RequestState beneficiary,
      int lacking) {
    final int lost = request.computedTokens;
    final int freed = state.kv.release(request.kv(), findable, state.fenceOf(request));
    if (request.status != RequestStatus.PREEMPTED) {
      state.preemptedWaiting++;
    }
    if (request.status == RequestStatus.RUNNING && request.adapterCount != null) {
      request.adapterCount.stopped();
    }
    request.status = RequestStatus.PREEMPTED;
    request.computedBeforePreemption = lost;
    request.computedTokens = 0;
    request.allocatedThrough = 0;
    request.preemptions++;
    state.counts.preemptions++;
    state.preemptedSince().add(request);
    if (state.exchange != null) {
      state.exchange.loads.forget(request);
    }
    state.events.preempted(state.stepId, request, cause, beneficiary, lost, freed, lacking);
  }

  /**
   * Results of steps that are out are stale. After a preemption for blocks they are still valid
   * outputs, and the request waits for them, unless their KV is to be handed on; after a reset they
   * may come from an outdated model, after a failed load from KV that is not there.
   */
  private void leaveResultsBehind(RequestState victim, PreemptionCause cause) {
    final boolean reset = cause == PreemptionCause.CACHE_RESET;
    victim.staleTokens = victim.inFlightTokens;
    if (reset
        || cause == PreemptionCause.KV_LOAD_FAILED
        || (state.exchange != null && state.exchange.dropsResults())) {
      victim.voidTokens = victim.staleTokens;
    }
    if (reset) {
      victim.lastStepId = 0; // the executor's state for it is not relied on
    }
  }
}
