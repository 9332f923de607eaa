package dev.headway.simulation.fleet;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.step.GroupLatency;
import java.util.ArrayList;
import java.util.List;

/**
 * Ranks of one server that run every step together, as vLLM's do where experts are spread over data
 * parallel ranks: each plans its own batch, all wait for each other in every layer, and one that
 * has nothing to do runs along.
 *
 * <p>Each engine runs on a thread of its own that waits inside its step until all have planned
 * theirs. Only one of these threads runs at a time, and the caller's waits for it, so that equal
 * runs are equal and nothing needs a lock. One thread drives it.
 */
final class LockstepGroup {

  private final GroupLatency latency;
  private final List<LockstepRank> ranks;
  private final List<StepFeatures> planned = new ArrayList<>();
  private final StepFeatures nothing = new StepFeatures();
  private long nowNs;

  LockstepGroup(GroupLatency latency, List<LockstepRank> ranks) {
    this.latency = latency;
    this.ranks = List.copyOf(ranks);
  }

  /** Runs steps until the clock is at {@code untilNs} or later, or waits if there is no work. */
  void runTo(long untilNs) {
    boolean works = true;
    while (works && nowNs < untilNs) {
      works = step();
    }
    nowNs = Math.max(nowNs, untilNs);
    ranks.forEach(rank -> rank.instance().sleepUntil(untilNs));
  }

  /** Runs until no rank has work. */
  void runToTheEnd() {
    boolean works = true;
    while (works) {
      works = step();
    }
  }

  /** Runs a step of all; returns whether any had something to do. */
  private boolean step() {
    planned.clear();
    boolean anyPlanned = false;
    for (LockstepRank rank : ranks) {
      final StepFeatures own = rank.plan();
      anyPlanned |= own != null;
      planned.add(own == null ? nothing : own);
    }
    if (!anyPlanned) {
      return false;
    }
    final long stepNs = latency.groupStepNs(planned);
    long endNs = nowNs;
    for (LockstepRank rank : ranks) {
      if (rank.isPlanned()) {
        endNs = Math.max(endNs, rank.instance().nowNs() + stepNs);
        rank.run(stepNs);
      }
    }
    nowNs = endNs;
    for (LockstepRank rank : ranks) {
      rank.instance().sleepUntil(nowNs);
    }
    return true;
  }
}
