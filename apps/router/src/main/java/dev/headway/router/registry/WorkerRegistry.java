package dev.headway.router.registry;

import dev.headway.api.time.NanoClock;
import dev.headway.router.resilience.BreakerOptions;
import dev.headway.router.resilience.CircuitBreaker;
import dev.headway.routing.core.NoWorkerException;
import dev.headway.routing.core.RequestRouter;
import dev.headway.routing.core.RouteLease;
import dev.headway.routing.policy.RoutingPolicy;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.policy.WorkerLoad;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The workers, and who of them serves a request: one that is healthy, whose breaker lets it pass,
 * that serves the model, and that the policy chooses. Any thread.
 */
public final class WorkerRegistry {

  private final RequestRouter router;
  private final BreakerOptions breakers;
  private final LongSupplier clock;
  private final Map<String, Backend> backends = new ConcurrentHashMap<>();
  private final Object deciding = new Object();
  private final LongAdder panics = new LongAdder();
  private volatile Leniency leniency = Leniency.NONE; // changes within a decision only

  /** What is overlooked when no worker is left: all would be refused rather than one tried. */
  private enum Leniency {
    NONE,
    /** Open breakers. */
    BREAKERS,
    /** And failed health checks, of workers that were well before. */
    CHECKS
  }

  /** Has no workers yet. */
  public WorkerRegistry(RoutingPolicy policy, BreakerOptions breakers, NanoClock clock) {
    this.breakers = breakers;
    this.clock = clock::nanoTime;
    this.router =
        RequestRouter.builder(policy).clock(clock).filter((r, w) -> refusal(r, w)).build();
  }

  private @Nullable String refusal(RoutingRequest request, Worker worker) {
    final Backend backend = backends.get(worker.id());
    if (backend == null) {
      return "removed";
    }
    if (!backend.isHealthy() && !(leniency == Leniency.CHECKS && backend.wasHealthy())) {
      final String complaint = backend.complaint();
      return complaint == null ? "not healthy yet" : "unhealthy: " + complaint;
    }
    if (leniency == Leniency.NONE && !backend.breaker().allows()) {
      return "circuit breaker " + backend.breaker().state().label();
    }
    if (request.model() != null
        && !backend.models().isEmpty()
        && !backend.models().contains(request.model())) {
      return "serves another model";
    }
    return null;
  }

  /** Name of the policy. */
  public String policy() {
    return router.policy();
  }

  /**
   * Adds a worker.
   *
   * @param isHealthy whether it may be used before it answered a health check
   * @throws IllegalArgumentException if there is one of that id
   */
  public Backend add(WorkerEntry entry, boolean isHealthy) {
    synchronized (deciding) {
      final Worker worker = router.add(entry.spec());
      final Backend backend =
          new Backend(entry, worker, new CircuitBreaker(breakers, clock), isHealthy);
      backends.put(entry.id(), backend);
      return backend;
    }
  }

  /** Removes a worker; what it is serving may still end. Returns whether it was there. */
  public boolean remove(String id) {
    synchronized (deciding) {
      backends.remove(id);
      return router.remove(id);
    }
  }

  /** Takes what a worker reports of itself. */
  public void report(String id, WorkerLoad load) {
    router.report(id, load);
  }

  /** The workers, in the order in which they were added. */
  public List<Backend> backends() {
    final Collection<Backend> all = backends.values();
    return all.stream()
        .sorted((a, b) -> Integer.compare(a.worker().index(), b.worker().index()))
        .toList();
  }

  /** Whether the models of all workers are known and none of them is this one. */
  public boolean isUnknownModel(String model) {
    if (backends.isEmpty()) {
      return false;
    }
    for (Backend each : backends.values()) {
      if (each.models().isEmpty() || each.models().contains(model)) {
        return false;
      }
    }
    return true;
  }

  /** Decisions in which no worker was left and the least bad of them were tried. */
  public long panics() {
    return panics.sum();
  }

  /**
   * Chooses a worker for an attempt, and counts it there.
   *
   * <p>If none is left, one whose breaker is open is tried, and if there is none either, one whose
   * health checks fail: what was a fault of all is over on the first of them that is back, and a
   * request that is refused is lost for certain.
   *
   * @param forms of one request, at least one: the first that a worker can take counts; the last
   *     excludes the fewest workers
   * @throws NoWorkerException if none can take it
   */
  public Dispatch route(List<RoutingRequest> forms) {
    synchronized (deciding) { // so that no two requests take a breaker's last trial
      final RouteLease lease = lease(forms);
      final Backend backend = backends.get(lease.worker().id());
      if (backend == null) {
        lease.close();
        throw new IllegalStateException("worker must be registered: id=" + lease.worker().id());
      }
      return new Dispatch(lease, backend, backend.breaker().began());
    }
  }

  private RouteLease lease(List<RoutingRequest> forms) {
    NoWorkerException why = null;
    for (Leniency each : Leniency.values()) {
      leniency = each;
      try {
        for (RoutingRequest form : forms) {
          try {
            final RouteLease lease = router.route(form);
            panics.add(each == Leniency.NONE ? 0 : 1);
            return lease;
          } catch (NoWorkerException none) {
            why = each == Leniency.NONE ? none : why; // what is refused without leniency
          }
        }
      } finally {
        leniency = Leniency.NONE;
      }
    }
    throw Objects.requireNonNull(why, "no form of a request was given");
  }
}
