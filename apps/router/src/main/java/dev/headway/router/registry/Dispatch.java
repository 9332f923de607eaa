package dev.headway.router.registry;

import dev.headway.router.resilience.CircuitBreaker.Verdict;
import dev.headway.routing.core.RouteLease;
import dev.headway.routing.policy.RoutingOutcome;
import java.util.concurrent.atomic.AtomicBoolean;

/** A request's place on a worker, in its load and in its breaker. Released once. Any thread. */
public final class Dispatch {

  private final RouteLease lease;
  private final Backend backend;
  private volatile long began;
  private final AtomicBoolean hasEnded = new AtomicBoolean();

  Dispatch(RouteLease lease, Backend backend, long began) {
    this.lease = lease;
    this.backend = backend;
    this.began = began;
  }

  /** The place in the load. */
  public RouteLease lease() {
    return lease;
  }

  /** The worker. */
  public Backend backend() {
    return backend;
  }

  /** The worker has begun to answer. Called once at most. */
  public void answered() {
    began = backend.breaker().answered(began);
  }

  /**
   * Releases both.
   *
   * @return whether this call did, and none before
   */
  public boolean ended(RoutingOutcome outcome, Verdict verdict) {
    if (!hasEnded.compareAndSet(false, true)) {
      return false;
    }
    backend.breaker().ended(began, verdict);
    lease.ended(outcome);
    return true;
  }
}
