package dev.headway.scheduler.core;

import dev.headway.api.config.Displacement;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.scheduler.queue.RunningList;
import dev.headway.scheduler.state.RequestState;

/**
 * Lets a more important waiting request take the place of a less important running one when a seat
 * or KV blocks are all it lacks. Compares priorities only: with arrival as a tie-breaker, two
 * requests of equal priority would displace each other endlessly.
 */
final class Displacer {

  private static final int NOBODY = -1;

  private final SchedulerState state;
  private final Progress progress;
  private final Preemption preemption;
  private final boolean enabled;
  private final int minPriorityGap;
  private final int minStepsBetween;

  Displacer(SchedulerState state, StepParts parts) {
    this.state = state;
    this.progress = parts.progress();
    this.preemption = parts.preemption();
    final Displacement displacement = state.config.displacement();
    enabled = displacement.mode() == Displacement.Mode.ON;
    minPriorityGap = displacement.minPriorityGap();
    minStepsBetween = displacement.minStepsBetween();
  }

  /** Whether displacement happens at all. */
  boolean isEnabled() {
    return enabled;
  }

  /** Displaces a running request to free a seat for {@code head}; returns whether there was one. */
  boolean freesSeat(PlanBuffer plan, RequestState head) {
    return enabled && displaceOne(plan, head, 0);
  }

  /**
   * Displaces a running request to free blocks for {@code head}, which needs {@code neededBlocks};
   * none if displacing all candidates would not free enough. Returns whether one was displaced.
   */
  boolean freesBlocks(PlanBuffer plan, RequestState head, int neededBlocks) {
    return enabled && canFree(head, neededBlocks) && displaceOne(plan, head, neededBlocks);
  }

  private boolean canFree(RequestState head, int needed) {
    int blocks = state.kv.freeBlocks();
    final RunningList running = state.running;
    for (int i = 0; i < running.size() && blocks < needed; i++) {
      if (yieldsTo(running.get(i), head)) {
        blocks += running.get(i).kvBlocks();
      }
    }
    return blocks >= needed;
  }

  private boolean displaceOne(PlanBuffer plan, RequestState head, int needed) {
    final int index = leastImportant(head);
    if (index == NOBODY) {
      return false;
    }
    final int free = state.kv.freeBlocks();
    final RequestState victim = state.running.removeAt(index);
    progress.withdraw(plan, victim);
    preemption.preempt(victim, PreemptionCause.DISPLACED, head, needed, free);
    return true;
  }

  /**
   * The least important of the requests that may be displaced; among equals the one admitted last.
   */
  private int leastImportant(RequestState head) {
    int victim = NOBODY;
    final RunningList running = state.running;
    for (int i = 0; i < running.size(); i++) {
      final RequestState candidate = running.get(i);
      if (yieldsTo(candidate, head)
          && (victim == NOBODY || priority(candidate) >= priority(running.get(victim)))) {
        victim = i;
      }
    }
    return victim;
  }

  private boolean yieldsTo(RequestState candidate, RequestState head) {
    final boolean settled = state.stepId - candidate.admittedStepId >= minStepsBetween;
    final boolean admittedNow = candidate.admittedStepId == state.stepId;
    return settled
        && !admittedNow
        && !mayBeBuiltOn(candidate)
        && (long) priority(candidate) - priority(head) >= minPriorityGap;
  }

  /** Whether requests admitted in this step may have found blocks of its chunk of this step. */
  private boolean mayBeBuiltOn(RequestState candidate) {
    final RequestState newest = state.running.get(state.running.size() - 1);
    final boolean planned = candidate.lastStepId == state.stepId;
    final int sure = candidate.computedTokens - (planned ? candidate.plannedTokens : 0);
    return newest.admittedStepId == state.stepId && candidate.sharedPrefixTokens() > sure;
  }

  private static int priority(RequestState request) {
    return request.priority();
  }
}
