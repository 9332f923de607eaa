package dev.headway.api.policy;

import dev.headway.api.request.RequestView;

/** Which running request gives way when KV blocks run out. */
public interface VictimPolicy {

  /** Nobody is preempted: the needy request gets nothing in this step. */
  int STALL = -1;

  /**
   * Returns the index of the running request to preempt, or {@link #STALL}. If nobody at all would
   * get tokens because of that, the default victim is taken.
   *
   * @param needy the running request that lacks blocks
   * @param neededBlocks blocks it lacks beside the free ones
   */
  int victim(RequestView needy, int neededBlocks, StepView step);
}
