package dev.headway.examples.customrouting;

import dev.headway.routing.policy.LeastLoad;
import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingPolicy;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.policy.WorkerLoad;
import dev.headway.routing.policy.WorkerSet;
import java.util.Comparator;

/**
 * Chooses the worker that reported the fewest requests in its queue; of equals, and before any
 * report, the one with the least load. No state.
 */
public final class ShortestQueue implements RoutingPolicy {

  private static final Comparator<Worker> ORDER =
      Comparator.comparingInt(ShortestQueue::waiting).thenComparing(LeastLoad.ORDER);

  @Override
  public String name() {
    return "shortest-queue";
  }

  @Override
  public void route(RoutingRequest request, WorkerSet candidates, RoutingDecision decision) {
    Worker shortest = candidates.get(0);
    for (Worker each : candidates) {
      if (ORDER.compare(each, shortest) < 0) {
        shortest = each;
      }
    }
    decision.choose(shortest, RoutingBranch.LEAST_LOAD);
  }

  private static int waiting(Worker worker) {
    final WorkerLoad load = worker.load();
    return load == null ? 0 : load.waiting();
  }
}
