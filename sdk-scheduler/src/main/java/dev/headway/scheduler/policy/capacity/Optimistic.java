package dev.headway.scheduler.policy.capacity;

import dev.headway.api.policy.CapacityPolicy;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.RequestView;

/**
 * Keeps nothing free: blocks are used as long as there are any, and preemptions make room later.
 *
 * <p>Source: what vLLM does, and TensorRT-LLM's MAX_UTILIZATION.
 */
public final class Optimistic implements CapacityPolicy {

  /** Makes the policy. */
  public Optimistic() {}

  @Override
  public int blocksToKeepFree(
      RequestView candidate, int cachedTokens, int newTokens, StepView step) {
    return 0;
  }
}
