package dev.headway.scheduler.policy.victim;

import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.StepView;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.request.RequestView;
import dev.headway.scheduler.policy.PolicyOptions;
import java.util.Comparator;

/** What the orders of this package share. */
final class Victims {

  private Victims() {}

  /** Returns {@code order} with equals ordered by arrival, the last one first. */
  static Comparator<RequestView> thenLastArrived(Comparator<RequestView> order) {
    return order.thenComparing(Comparator.comparingLong(RequestView::number).reversed());
  }

  /** Returns the index of the running request that comes first. */
  static int first(StepView step, Comparator<RequestView> order) {
    int first = 0;
    for (int index = 1; index < step.runningCount(); index++) {
      if (order.compare(step.running(index), step.running(first)) < 0) {
        first = index;
      }
    }
    return first;
  }

  /** Returns the policies of a provider whose policy has no options. */
  static Policies withoutOptions(String name, PolicyContext context, VictimPolicy policy) {
    PolicyOptions.of(name, context).requireNoOthers();
    return Policies.builder().victim(policy).build();
  }
}
