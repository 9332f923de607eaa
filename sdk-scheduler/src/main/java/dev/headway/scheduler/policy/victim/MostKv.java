package dev.headway.scheduler.policy.victim;

import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicyProvider;
import dev.headway.api.policy.StepView;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.request.RequestView;
import java.util.Comparator;

/**
 * The request with the most KV blocks gives way: one preemption frees as much as can be, and costs
 * the most work. A baseline for studies.
 */
public final class MostKv implements VictimPolicy {

  private static final Comparator<RequestView> ORDER =
      Victims.thenLastArrived(Comparator.comparingInt(RequestView::kvBlocks).reversed());

  /** Makes the policy. */
  public MostKv() {}

  @Override
  public int victim(RequestView needy, int neededBlocks, StepView step) {
    return Victims.first(step, ORDER);
  }

  /** Provides {@code most-kv}. */
  public static final class Provider implements PolicyProvider {

    /** For the service loader. */
    public Provider() {}

    @Override
    public String name() {
      return "most-kv";
    }

    @Override
    public String description() {
      return "Victim: the running request with the most KV blocks. No options.";
    }

    @Override
    public Policies create(PolicyContext context) {
      return Victims.withoutOptions(name(), context, new MostKv());
    }
  }
}
