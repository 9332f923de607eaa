package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.StaticOrder;
import dev.headway.api.request.RequestView;

/**
 * The request that may have the most outputs first: long ones start early and overlap with many
 * others. Starves short requests under load; a baseline for studies.
 *
 * <p>Source: SGLang {@code lof}, which sorts by {@code -max_new_tokens}.
 */
public final class LongestOutput implements StaticOrder {

  /** Makes the policy. */
  public LongestOutput() {}

  @Override
  public double key(RequestView request) {
    return -(double) request.request().stopRule().maxTokens();
  }
}
