package dev.headway.scheduler.policy.victim;

import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicyProvider;
import dev.headway.api.policy.StepView;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.request.RequestView;
import java.util.Comparator;

/**
 * The request with the fewest outputs gives way, of equals the one with the longest prompt: those
 * near their end keep their place.
 *
 * <p>Source: SGLang {@code ScheduleBatch.retract_decode}, which sorts by {@code (len(output_ids),
 * -len(origin_input_ids))} in descending order and takes from the end.
 */
public final class FewestOutputs implements VictimPolicy {

  private static final Comparator<RequestView> ORDER =
      Victims.thenLastArrived(
          Comparator.comparingInt(RequestView::outputTokens)
              .thenComparing(Comparator.comparingInt(RequestView::promptTokens).reversed()));

  /** Makes the policy. */
  public FewestOutputs() {}

  @Override
  public int victim(RequestView needy, int neededBlocks, StepView step) {
    return Victims.first(step, ORDER);
  }

  /** Provides {@code fewest-outputs}. */
  public static final class Provider implements PolicyProvider {

    /** For the service loader. */
    public Provider() {}

    @Override
    public String name() {
      return "fewest-outputs";
    }

    @Override
    public String description() {
      return "Victim: the running request with the fewest outputs, then the longest prompt. No"
          + " options.";
    }

    @Override
    public Policies create(PolicyContext context) {
      return Victims.withoutOptions(name(), context, new FewestOutputs());
    }
  }
}
