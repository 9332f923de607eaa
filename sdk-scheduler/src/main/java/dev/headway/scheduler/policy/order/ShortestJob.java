package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.StaticOrder;
import dev.headway.api.request.RequestView;

/**
 * The shortest job first, with {@code maxTokens} as the bound of its length and linear ageing:
 *
 * <pre>{@code
 * work(r)  = known tokens + outputWeight * (maxTokens - outputs)
 * score(r) = work(r) - ageing * waited(r)
 * }</pre>
 *
 * <p>All requests age alike, so the order of two never changes while they wait and {@code work +
 * ageing * queuedNs} is a static key. No starvation: no request that arrives more than {@code
 * work(r) / ageing} after r is served before r.
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
}
