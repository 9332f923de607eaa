package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.StaticOrder;
import dev.headway.api.request.RequestView;

/** By {@link dev.headway.api.request.Request#priority}, the smallest first, then by arrival. */
public final class ByPriority implements StaticOrder {

  /** Makes the policy. */
  public ByPriority() {}

  @Override
  public double key(RequestView request) {
    return request.priority();
  }
}
