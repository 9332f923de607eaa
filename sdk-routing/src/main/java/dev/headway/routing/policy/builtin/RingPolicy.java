package dev.headway.routing.policy.builtin;

import dev.headway.routing.policy.LeastLoad;
import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingPolicy;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.policy.WorkerSet;
import org.jspecify.annotations.Nullable;

/**
 * The worker that owns a request's key on a ring, unless it has more than its share of the load.
 * Requests without a key go to the least load.
 */
final class RingPolicy implements RoutingPolicy {

  private final String name;
  private final Key key;
  private final Overload overload;
  private final double loadFactor;
  private final HashRing ring;

  /** What of a request is hashed. */
  @FunctionalInterface
  interface Key {
    /** The key; null if the request has none. */
    @Nullable Long of(RoutingRequest request);
  }

  /** Which worker is next if the owner has too much load. */
  enum Overload {
    NEXT_ON_RING,
    LEAST_LOAD
  }

  /**
   * Makes a policy.
   *
   * @param loadFactor most load of a worker relative to the mean; 0 for any
   * @param pointsPerWorker places of each worker on the ring
   */
  RingPolicy(String name, Key key, Overload overload, double loadFactor, int pointsPerWorker) {
    this.name = name;
    this.key = key;
    this.overload = overload;
    this.loadFactor = loadFactor;
    ring = new HashRing(pointsPerWorker);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void route(RoutingRequest request, WorkerSet candidates, RoutingDecision decision) {
    final Long at = key.of(request);
    final Worker owner = at == null ? null : ring.find(at, candidates, worker -> true);
    if (at == null || owner == null) {
      decision.choose(LeastLoad.of(candidates), RoutingBranch.FALLBACK);
      return;
    }
    final double most = mostLoad(candidates);
    if (owner.effectiveLoad() <= most) {
      decision.choose(owner, RoutingBranch.RING_HIT);
      return;
    }
    final Worker other =
        switch (overload) {
          case NEXT_ON_RING -> ring.find(at, candidates, worker -> worker.effectiveLoad() <= most);
          case LEAST_LOAD -> LeastLoad.of(candidates);
        };
    decision.choose(other == null ? owner : other, RoutingBranch.RING_OVERLOAD);
  }

  private double mostLoad(WorkerSet candidates) {
    if (loadFactor == 0) {
      return Double.POSITIVE_INFINITY;
    }
    double total = 1;
    for (Worker worker : candidates) {
      total += worker.effectiveLoad();
    }
    return loadFactor * total / candidates.size();
  }

  @Override
  public void onWorkerRemoved(Worker worker) {
    ring.remove(worker);
  }
}
