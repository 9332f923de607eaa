package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicyProvider;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.request.RequestView;
import dev.headway.scheduler.policy.PolicyOptions;

/** First come, first served: by arrival. Preempted requests keep their place in that order. */
public final class Fcfs implements StaticOrder {

  /** Makes the policy. */
  public Fcfs() {}

  @Override
  public double key(RequestView request) {
    return request.number();
  }

  /** Provides {@code fcfs}. */
  public static final class Provider implements PolicyProvider {

    /** For the service loader. */
    public Provider() {}

    @Override
    public String name() {
      return "fcfs";
    }

    @Override
    public String description() {
      return "Order: by arrival. No options.";
    }

    @Override
    public Policies create(PolicyContext context) {
      PolicyOptions.of(name(), context).requireNoOthers();
      return Policies.builder().order(new Fcfs()).build();
    }
  }
}
