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
    if (state.endsDeadEnds) {
      // a chunk planned in this step and taken back is computed by nobody
      state.kv.forget(victim.kv(), lost);
    }
    final int freed = state.kv.release(victim.kv(), victim.lastStepId);
    victim.status = RequestStatus.PREEMPTED;
    victim.computedBeforePreemption = lost;
    victim.computedTokens = 0;
    victim.preemptions++;
    state.preemptions++;
    state.preemptedWaiting++;
    state.preemptedSince().add(victim);
    state.waiting.addPreempted(victim);
    state.probe.onPreempted(state.stepId, victim, cause, beneficiary, lost, freed);
    final WaitReason reason =
        cause == PreemptionCause.CACHE_RESET ? WaitReason.EVICTED : WaitReason.PREEMPTED;
    state.waits.refuse(state.stepId, victim, reason, beneficiary, needed, free);
  }
}
