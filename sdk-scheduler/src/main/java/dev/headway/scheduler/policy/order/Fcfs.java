package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.StaticOrder;
import dev.headway.api.request.RequestView;

/** First come, first served: by arrival. Preempted requests keep their place in that order. */
public final class Fcfs implements StaticOrder {

  /** Makes the policy. */
  public Fcfs() {}

  @Override
  public double key(RequestView request) {
    return request.number();
  }
}
