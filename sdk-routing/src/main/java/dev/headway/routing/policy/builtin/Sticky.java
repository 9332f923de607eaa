package dev.headway.routing.policy.builtin;

import dev.headway.routing.policy.LeastLoad;
import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingPolicy;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.policy.WorkerSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The worker that the request's key had before; a new key gets the least loaded. Keys that were not
 * used for a while are forgotten, and the least recently used beyond a number.
 */
final class Sticky implements RoutingPolicy {

  private final long maxIdleNs;
  private final int maxKeys;

  /** By last use, the oldest first. */
  private final Map<String, Assigned> workers = new LinkedHashMap<>(16, 0.75f, true);

  private record Assigned(Worker worker, long usedAtNs) {}

  Sticky(long maxIdleNs, int maxKeys) {
    this.maxIdleNs = maxIdleNs;
    this.maxKeys = maxKeys;
  }

  @Override
  public String name() {
    return "sticky";
  }

  @Override
  public void route(RoutingRequest request, WorkerSet candidates, RoutingDecision decision) {
    final String key = request.routingKey();
    if (key == null) {
      decision.choose(LeastLoad.of(candidates), RoutingBranch.FALLBACK);
      return;
    }
    final Assigned assigned = workers.get(key);
    if (assigned != null
        && request.nowNs() - assigned.usedAtNs <= maxIdleNs
        && candidates.indexOf(assigned.worker) >= 0) {
      decision.choose(assigned.worker, RoutingBranch.STICKY_HIT);
    } else {
      decision.choose(LeastLoad.of(candidates), RoutingBranch.STICKY_NEW);
    }
  }

  @Override
  public void onDispatched(RoutingDecision decision, Worker worker) {
    final RoutingRequest request = decision.request();
    if (request.routingKey() != null) {
      workers.put(request.routingKey(), new Assigned(worker, request.nowNs()));
      forget(request.nowNs());
    }
  }

  private void forget(long nowNs) {
    final Iterator<Assigned> oldest = workers.values().iterator();
    while (oldest.hasNext()) {
      final Assigned each = oldest.next();
      if (workers.size() <= maxKeys && nowNs - each.usedAtNs <= maxIdleNs) {
        return;
      }
      oldest.remove();
    }
  }

  @Override
  public void onWorkerRemoved(Worker worker) {
    workers.values().removeIf(assigned -> assigned.worker.equals(worker));
  }
}
