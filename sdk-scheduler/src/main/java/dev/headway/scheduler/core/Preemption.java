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
    final int lost = victim.computedTokens;
    // a chunk planned in this step and withdrawn is never computed; vLLM keeps it findable
    final int computed = state.limits.finishesUnschedulable ? lost : Integer.MAX_VALUE;
    final int freed = state.kv.release(victim.kv(), computed, victim.lastStepId);
    if (state.encoder != null) {
      state.encoder.release(victim);
    }
    if (state.partials != null) {
      state.partials.left(victim);
    }
    victim.status = RequestStatus.PREEMPTED;
    victim.computedBeforePreemption = lost;
    victim.computedTokens = 0;
    victim.pendingDrafts = 0;
    victim.placeholders = 0;
    victim.allocatedThrough = 0;
    leaveResultsBehind(victim, cause);
    if (cause != PreemptionCause.CACHE_RESET) {
      ProgressLaw.preempted(victim, lost);
    }
    victim.preemptions++;
    state.counts.preemptions++;
    state.preemptedWaiting++;
    state.preemptedSince().add(victim);
    state.waiting.addPreempted(victim);
    state.events.preempted(
        state.stepId, victim, cause, beneficiary, lost, freed, Math.max(0, needed - free));
    final WaitReason reason =
        cause == PreemptionCause.CACHE_RESET ? WaitReason.EVICTED : WaitReason.PREEMPTED;
    state.waits.refuse(state.stepId, victim, reason, beneficiary, needed, free);
  }

  /**
   * Results of steps that are out are stale. After a preemption for blocks they are still valid
   * outputs, and the request waits for them; after a reset they may come from an outdated model.
   */
  private static void leaveResultsBehind(RequestState victim, PreemptionCause cause) {
    final boolean reset = cause == PreemptionCause.CACHE_RESET;
    victim.staleTokens = victim.inFlightTokens;
    if (reset) {
      victim.voidTokens = victim.staleTokens;
      victim.lastStepId = 0; // the executor's state for it is not relied on
    }
  }
}
