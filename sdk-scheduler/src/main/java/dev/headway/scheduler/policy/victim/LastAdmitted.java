package dev.headway.scheduler.policy.victim;

import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicyProvider;
import dev.headway.api.policy.StepView;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.request.RequestView;

/**
 * The request that was admitted last gives way, whatever the queue's order.
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

  /** Provides {@code last-admitted}. */
  public static final class Provider implements PolicyProvider {

    /** For the service loader. */
    public Provider() {}

    @Override
    public String name() {
      return "last-admitted";
    }

    @Override
    public String description() {
      return "Victim: the running request that was admitted last. No options.";
    }

    @Override
    public Policies create(PolicyContext context) {
      return Victims.withoutOptions(name(), context, new LastAdmitted());
    }
  }
}
