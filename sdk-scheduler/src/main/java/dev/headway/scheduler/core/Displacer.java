package dev.headway.scheduler.core;

import dev.headway.api.config.Displacement;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.scheduler.queue.RunningList;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

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
  private final int minPriorityGap;
  private final int minStepsBetween;

  /** Tokens of a block, by group. */
  private final int[] blockSizes;

  private Displacer(SchedulerState state, Progress progress, Preemption preemption) {
    this.state = state;
    this.progress = progress;
    this.preemption = preemption;
    final Displacement displacement = state.config.displacement();
    minPriorityGap = displacement.minPriorityGap();
    minStepsBetween = displacement.minStepsBetween();
    blockSizes = state.kv.shape().groups().stream().mapToInt(KvGroup::blockSize).toArray();
  }

  /** Returns null if nothing is ever displaced. */
  static @Nullable Displacer of(SchedulerState state, Progress progress, Preemption preemption) {
    return state.config.displacement().mode() == Displacement.Mode.ON
        ? new Displacer(state, progress, preemption)
        : null;
  }

  /** Whether a running request could be displaced for {@code head}. */
  boolean hasVictim(RequestState head) {
    return !head.displacedInVain && leastImportant(head, ANY_GAIN) != NONE;
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
    final long lastStepId = Math.min(state.fenceOf(candidate), state.stepId - 1);
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
        && (long) priority(candidate) - priority(head) >= minPriorityGap
        && !isBuiltOn(candidate);
  }

  /**
   * Whether a request that was admitted in this step, or whose load has begun in it, has found
   * blocks that the candidate is to fill now.
   */
  private boolean isBuiltOn(RequestState candidate) {
    return isBuiltOnByAdmitted(candidate)
        || (state.exchange != null
            && state.exchange.loads.any(loading -> sharesBlocksToFill(candidate, loading.kv())));
  }

  private boolean isBuiltOnByAdmitted(RequestState candidate) {
    final RunningList running = state.running;
    for (int i = running.size() - 1; i >= 0; i--) {
      final RequestState admitted = running.get(i);
      if (admitted.admittedStepId != state.stepId) {
        return false; // those admitted in this step are the last
      }
      if (sharesBlocksToFill(candidate, admitted.kv())) {
        return true;
      }
    }
    return false;
  }

  /** In any group: what one lacks of a prefix, the admitted request may have found elsewhere. */
  private boolean sharesBlocksToFill(RequestState candidate, KvSequence admitted) {
    final KvSequence own = candidate.kv();
    final int computed = candidate.computedBefore(state.stepId);
    for (int group = 0; group < own.groupCount(); group++) {
      final int count = Math.min(own.blockCount(group), admitted.blockCount(group));
      for (int index = computed / blockSizes[group]; index < count; index++) {
        final int block = own.blockId(group, index);
        if (block != KvCacheShape.NULL_BLOCK && block == admitted.blockId(group, index)) {
          return true;
        }
      }
    }
    return false;
  }

  private static int priority(RequestState request) {
    return request.priority();
  }
}
