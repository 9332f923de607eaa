package dev.headway.scheduler.policy.victim;

import dev.headway.api.policy.StepView;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.request.RequestView;

/**
 * Preempts the request that was admitted last, whatever the queue's order.
 *
 * <p>Source: vLLM's {@code self.running.pop()} under FCFS; TensorRT-LLM's MAX_UTILIZATION pauses
 * from the tail as well.
 */
public final class LastAdmitted implements VictimPolicy {

  /** Makes the policy. */
  public LastAdmitted() {}

  @Override
  public int victim(RequestView needy, int neededBlocks, StepView step) {
    return step.runningCount() - 1;
  }
}
