package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicyProvider;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.request.RequestView;
import dev.headway.scheduler.policy.PolicyOptions;

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

  /** Provides {@code longest-output-first}. */
  public static final class Provider implements PolicyProvider {

    /** For the service loader. */
    public Provider() {}

    @Override
    public String name() {
      return "longest-output-first";
    }

    @Override
    public String description() {
      return "Order: the most maxTokens first; starves short requests. No options.";
    }

    @Override
    public Policies create(PolicyContext context) {
      PolicyOptions.of(name(), context).requireNoOthers();
      return Policies.builder().order(new LongestOutput()).build();
    }
  }
}
