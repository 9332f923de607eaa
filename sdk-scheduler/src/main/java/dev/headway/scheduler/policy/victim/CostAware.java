package dev.headway.scheduler.policy.victim;

import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicyProvider;
import dev.headway.api.policy.StepView;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.request.RequestView;
import java.util.Comparator;

/**
 * The request gives way whose preemption frees the most for the least work, unless it is about to
 * end: the largest
 *
 * <pre>{@code
 * score = blocks / max(1, tokens) * (1 - outputs / max(1, maxTokens))
 * }</pre>
 *
 * <p>with the KV blocks it holds, its known tokens, its outputs and the most it may have.
 *
 * <p>Source: vLLM pull request #56897, which counts only blocks that nobody else holds; a request
 * view does not tell them apart, so shared blocks count too.
 */
public final class CostAware implements VictimPolicy {

  private static final Comparator<RequestView> ORDER =
      Victims.thenLastArrived(Comparator.comparingDouble(CostAware::score).reversed());

  /** Makes the policy. */
  public CostAware() {}

  @Override
  public int victim(RequestView needy, int neededBlocks, StepView step) {
    return Victims.first(step, ORDER);
  }

  private static double score(RequestView request) {
    final double blocksPerToken = (double) request.kvBlocks() / Math.max(1, request.knownTokens());
    final int maxTokens = request.request().stopRule().maxTokens();
    return blocksPerToken * (1 - (double) request.outputTokens() / Math.max(1, maxTokens));
  }

  /** Provides {@code cost-aware}. */
  public static final class Provider implements PolicyProvider {

    /** For the service loader. */
    public Provider() {}

    @Override
    public String name() {
      return "cost-aware";
    }

    @Override
    public String description() {
      return "Victim: the most blocks per token to compute again, less progress:"
          + " blocks/tokens*(1-outputs/max). No options.";
    }

    @Override
    public Policies create(PolicyContext context) {
      return Victims.withoutOptions(name(), context, new CostAware());
    }
  }
}
