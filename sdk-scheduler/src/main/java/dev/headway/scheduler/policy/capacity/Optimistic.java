package dev.headway.scheduler.policy.capacity;

import dev.headway.api.policy.CapacityPolicy;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicyProvider;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.RequestView;
import dev.headway.scheduler.policy.PolicyOptions;

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

  /** Provides {@code optimistic}. */
  public static final class Provider implements PolicyProvider {

    /** For the service loader. */
    public Provider() {}

    @Override
    public String name() {
      return "optimistic";
    }

    @Override
    public String description() {
      return "Capacity: keeps no blocks free for running requests. No options.";
    }

    @Override
    public Policies create(PolicyContext context) {
      PolicyOptions.of(name(), context).requireNoOthers();
      return Policies.builder().capacity(new Optimistic()).build();
    }
  }
}
