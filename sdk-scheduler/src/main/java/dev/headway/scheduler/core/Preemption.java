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
   * @param beneficiary who needs the blocks, or null in a cache reset
   * @param needed blocks that were needed, {@code free} those that were free
   */
  void preempt(
      RequestState victim,
      PreemptionCause cause,
      @Nullable RequestState beneficiary,
      int needed,
      int free) {
    final int lost = victim.computedTokens;
    // a chunk planned in this step and taken back is computed by nobody; vLLM believes in it
    final int computed = state.finishesUnschedulable ? lost : Integer.MAX_VALUE;
    final int freed = state.kv.release(victim.kv(), computed, victim.lastStepId);
    victim.status = RequestStatus.PREEMPTED;
    victim.computedBeforePreemption = lost;
    victim.computedTokens = 0;
    victim.pendingDrafts = 0;
    victim.placeholders = 0;
    victim.allocatedThrough = 0;
    leaveResultsBehind(victim, cause);
    victim.preemptions++;
    state.preemptions++;
    state.preemptedWaiting++;
    state.preemptedSince().add(victim);
    state.waiting.addPreempted(victim);
    state.events.preempted(state.stepId, victim, cause, beneficiary, lost, freed);
    final WaitReason reason =
        cause == PreemptionCause.CACHE_RESET ? WaitReason.EVICTED : WaitReason.PREEMPTED;
    state.waits.refuse(state.stepId, victim, reason, beneficiary, needed, free);
  }

  /**
   * Results of steps that are out come too late. Those of a request short of blocks are still its
   * outputs, and it waits for them; after a reset they belong to a model of the past.
   */
  private static void leaveResultsBehind(RequestState victim, PreemptionCause cause) {
    final boolean reset = cause == PreemptionCause.CACHE_RESET;
    victim.discardsStale = reset || (victim.discardsStale && victim.staleTokens > 0);
    victim.staleTokens = victim.inFlightTokens;
    if (reset) {
      victim.lastStepId = 0; // no executor is believed to remember it
    }
  }
}
