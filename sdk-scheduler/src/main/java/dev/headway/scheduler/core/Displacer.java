package dev.headway.scheduler.core;

import dev.headway.api.config.Displacement;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.scheduler.queue.RunningList;
import dev.headway.scheduler.state.RequestState;

/**
 * Lets a more important waiting request take the place of a less important running one when a seat
 * or KV blocks are all it lacks, and what is displaced gives it enough of them. Compares priorities
 * only: with arrival as a tie-breaker, two requests of equal priority would displace each other
 * endlessly.
 */
final class Displacer {

  private static final int NONE = -1;
  private static final int ANY_GAIN = Integer.MIN_VALUE;

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

  /** Whether a running request could be displaced for {@code head}. */
  boolean hasVictim(RequestState head) {
    return enabled && !head.displacedInVain && leastImportant(head, ANY_GAIN) != NONE;
  }

  /**
   * Displaces a running request to free a seat for {@code head}, which needs {@code neededBlocks}
   * too; none if displacing all candidates would not free those. Returns whether one was displaced.
   */
  boolean freesSeat(PlanBuffer plan, RequestState head, int neededBlocks) {
    return canFree(head, neededBlocks) && displace(plan, head, leastImportant(head, 0), 0);
  }

  /** As {@link #freesSeat} when only blocks are missing. */
  boolean freesBlocks(PlanBuffer plan, RequestState head, int neededBlocks) {
    return canFree(head, neededBlocks)
        && displace(plan, head, leastImportant(head, 1), neededBlocks);
  }

  /** First with all blocks they hold, which costs less to count than those they would give up. */
  private boolean canFree(RequestState head, int needed) {
    return blocksAfterAll(head, needed, false) >= needed
        && blocksAfterAll(head, needed, true) >= needed;
  }

  private int blocksAfterAll(RequestState head, int needed, boolean exactly) {
    int blocks = state.kv.freeBlocks();
    final RunningList running = state.running;
    for (int i = 0; i < running.size() && blocks < needed; i++) {
      final RequestState candidate = running.get(i);
      if (yieldsTo(candidate, head)) {
        blocks += exactly ? Math.max(0, blocksGained(candidate, head)) : candidate.kvBlocks();
      }
    }
    return blocks;
  }

  /** A chunk planned in this step is withdrawn: what wrote before is an earlier step. */
  private int blocksGained(RequestState candidate, RequestState head) {
    final long lastStepId = Math.min(candidate.lastStepId, state.stepId - 1);
    return state.kv.blocksGained(
        candidate.kv(), candidate.computedBefore(state.stepId), lastStepId, head.kv());
  }

  private boolean displace(PlanBuffer plan, RequestState head, int index, int needed) {
    if (index == NONE) {
      return false;
    }
    final int free = state.kv.freeBlocks();
    final RequestState victim = state.running.removeAt(index);
    progress.withdraw(plan, victim);
    preemption.preempt(victim, PreemptionCause.DISPLACED, head, needed, free);
    return true;
  }

  /**
   * The least important of the requests that may be displaced and would free {@code leastGain}
   * blocks; among equals the one admitted last.
   */
  private int leastImportant(RequestState head, int leastGain) {
    int victim = NONE;
    final RunningList running = state.running;
    for (int i = 0; i < running.size(); i++) {
      final RequestState candidate = running.get(i);
      if (yieldsTo(candidate, head)
          && (victim == NONE || priority(candidate) >= priority(running.get(victim)))
          && (leastGain == ANY_GAIN || blocksGained(candidate, head) >= leastGain)) {
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
    final int sure = candidate.computedBefore(state.stepId);
    return newest.admittedStepId == state.stepId && candidate.sharedPrefixTokens() > sure;
  }

  private static int priority(RequestState request) {
    return request.priority();
  }
}
