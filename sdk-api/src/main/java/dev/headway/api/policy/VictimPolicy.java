package dev.headway.api.policy;

import dev.headway.api.request.RequestView;

/** Which running request is preempted when KV blocks run out. */
public interface VictimPolicy {

  /** No request is preempted: the request that lacks blocks gets no tokens in this step. */
  int STALL = -1;

  /**
   * Returns the index of the running request to preempt, or {@link #STALL}. If no request at all
   * would get tokens because of that, default victims are preempted until one does.
   *
   * @param needy the running request that lacks blocks
   * @param neededBlocks blocks it lacks beside the free ones
   */
  int victim(RequestView needy, int neededBlocks, StepView step);
}
