package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicyProvider;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.request.RequestView;
import dev.headway.scheduler.policy.PolicyOptions;

/**
 * The shortest job first, with {@code maxTokens} as the bound of its length and linear ageing:
 *
 * <pre>{@code
 * work(r)  = known tokens + outputWeight * (maxTokens - outputs)
 * score(r) = work(r) - ageing * waited(r)
 * }</pre>
 *
 * <p>All requests age alike, so the order of two never changes while they wait and {@code work +
 * ageing * queuedNs} is a static key. No starvation: nobody who arrives more than {@code work(r) /
 * ageing} after r is served before r.
 *
 * <p>Source: vLLM #29366 and TensorRT-LLM #12428 weigh length against waiting in the same spirit.
 */
public final class ShortestJob implements StaticOrder {

  private final double outputWeight;
  private final double ageingPerNs;

  /**
   * Makes the order.
   *
   * @param outputWeight cost of an output against a prompt token, >= 0
   * @param ageingPerSecond tokens that a second of waiting is worth, >= 0; 0 starves long jobs
   */
  public ShortestJob(double outputWeight, double ageingPerSecond) {
    this.outputWeight = outputWeight;
    this.ageingPerNs = ageingPerSecond / 1e9;
  }

  @Override
  public double key(RequestView request) {
    final int outputsLeft = request.request().stopRule().maxTokens() - request.outputTokens();
    return request.knownTokens() + outputWeight * outputsLeft + ageingPerNs * request.queuedNs();
  }

  /** Provides {@code shortest-job}. */
  public static final class Provider implements PolicyProvider {

    /** For the service loader. */
    public Provider() {}

    @Override
    public String name() {
      return "shortest-job";
    }

    @Override
    public String description() {
      return "Order: the shortest prompt and maxTokens first, ageing. Options: output-weight=1,"
          + " ageing=1000 (tokens per second waited; 0 starves).";
    }

    @Override
    public Policies create(PolicyContext context) {
      final PolicyOptions options = PolicyOptions.of(name(), context);
      final double outputWeight = options.number("output-weight", 1, 0, 1e6);
      final double ageing = options.number("ageing", 1000, 0, 1e9);
      options.requireNoOthers();
      return Policies.builder().order(new ShortestJob(outputWeight, ageing)).build();
    }
  }
}
