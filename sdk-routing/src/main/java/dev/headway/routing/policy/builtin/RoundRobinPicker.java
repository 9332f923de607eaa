package dev.headway.routing.policy.builtin;

import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingPicker;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.policy.WorkerSet;

/**
 * The candidate after the one chosen last, in the order in which workers were added. A counter
 * modulo the number of candidates would skip and repeat workers whenever that number changes.
 */
final class RoundRobinPicker implements RoutingPicker {

  private int lastIndex = -1;

  @Override
  public void pick(
      RoutingRequest request, WorkerSet candidates, double[] totals, RoutingDecision decision) {
    final Worker next = nextOf(candidates);
    lastIndex = next.index();
    decision.choose(next, RoutingBranch.RR_NEXT);
  }

  private Worker nextOf(WorkerSet candidates) {
    for (Worker worker : candidates) {
      if (worker.index() > lastIndex) {
        return worker;
      }
    }
    return candidates.get(0);
  }
}
