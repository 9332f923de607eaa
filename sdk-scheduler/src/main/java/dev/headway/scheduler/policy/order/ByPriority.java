package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicyProvider;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.request.RequestView;
import dev.headway.scheduler.policy.PolicyOptions;

/** By {@link dev.headway.api.request.Request#priority}, the smallest first, then by arrival. */
public final class ByPriority implements StaticOrder {

  /** Makes the policy. */
  public ByPriority() {}

  @Override
  public double key(RequestView request) {
    return request.request().priority();
  }

  /** Provides {@code priority}. */
  public static final class Provider implements PolicyProvider {

    /** For the service loader. */
    public Provider() {}

    @Override
    public String name() {
      return "priority";
    }

    @Override
    public String description() {
      return "Order: by priority, the smallest first, then by arrival. No options.";
    }

    @Override
    public Policies create(PolicyContext context) {
      PolicyOptions.of(name(), context).requireNoOthers();
      return Policies.builder().order(new ByPriority()).build();
    }
  }
}
