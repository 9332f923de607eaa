package dev.headway.routing.core;

import dev.headway.api.time.NanoClock;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingFilter;
import dev.headway.routing.policy.RoutingFilters;
import dev.headway.routing.policy.RoutingOutcome;
import dev.headway.routing.policy.RoutingPolicy;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.policy.WorkerLoad;
import dev.headway.routing.policy.WorkerSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives requests to workers: knows the workers, asks the filters and the policy, and counts what
 * runs where.
 *
 * <p>Any thread; one lock serialises decisions, ends and changes of the workers, so that each
 * decision sees the load of all decisions before it. Filters, the policy and listeners are called
 * with it held.
 */
public final class RequestRouter {

  private final ReentrantLock lock = new ReentrantLock();
  private final RoutingPolicy policy;
  private final List<RoutingFilter> filters;
  private final List<RoutingListener> listeners;
  private final @Nullable NanoClock clock;
  private final Map<String, RegisteredWorker> workers = new LinkedHashMap<>();
  private volatile WorkerSet all = new WorkerSet(List.of());
  private int nextIndex;

  private RequestRouter(Builder builder) {
    policy = builder.policy;
    filters = List.copyOf(builder.filters);
    listeners = List.copyOf(builder.listeners);
    clock = builder.clock;
  }

  /** Begins a router without workers. */
  public static Builder builder(RoutingPolicy policy) {
    return new Builder(policy);
  }

  /** Name of the policy. */
  public String policy() {
    return policy.name();
  }

  /** The workers, in the order in which they were added. */
  public WorkerSet workers() {
    return all;
  }

  /**
   * Adds a worker.
   *
   * @throws IllegalArgumentException if there is one of that id
   */
  public Worker add(WorkerSpec spec) {
    lock.lock();
    try {
      if (workers.containsKey(spec.id())) {
        throw new IllegalArgumentException(
            "worker ids must be unique: id=" + spec.id() + ", workers=" + workers.keySet());
      }
      final RegisteredWorker worker = new RegisteredWorker(spec, nextIndex++);
      workers.put(spec.id(), worker);
      all = new WorkerSet(List.copyOf(workers.values()));
      return worker;
    } finally {
      lock.unlock();
    }
  }

  /** Removes a worker at once; what it is serving may still end. Returns whether it was there. */
  public boolean remove(String id) {
    lock.lock();
    try {
      final RegisteredWorker worker = workers.remove(id);
      if (worker == null) {
        return false;
      }
      all = new WorkerSet(List.copyOf(workers.values()));
      policy.onWorkerRemoved(worker);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Gives a worker no more requests. Returns whether it was there. */
  public boolean drain(String id) {
    return change(id, RegisteredWorker::drain);
  }

  /** Gives a drained worker requests again. Returns whether it was there. */
  public boolean resume(String id) {
    return change(id, RegisteredWorker::resume);
  }

  /** Takes what a worker reports of itself. Returns whether it was there. */
  public boolean report(String id, WorkerLoad load) {
    return change(id, worker -> worker.report(load));
  }

  private boolean change(String id, Consumer<RegisteredWorker> change) {
    lock.lock();
    try {
      final RegisteredWorker worker = workers.get(id);
      if (worker == null) {
        return false;
      }
      change.accept(worker);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Chooses a worker and counts the request in its load.
   *
   * @throws NoWorkerException if no worker can take it
   * @throws IllegalStateException if the policy chooses a worker that cannot
   */
  public RouteLease route(RoutingRequest request) {
    final long startNs = nowNs();
    lock.lock();
    try {
      final RoutingDecision decision = new RoutingDecision(request, policy.name(), all);
      final WorkerSet candidates = candidates(request, decision);
      if (!candidates.isEmpty()) {
        policy.route(request, candidates, decision);
      }
      decision.costNs(nowNs() - startNs);
      final RegisteredWorker worker = chosen(decision);
      if (worker == null) {
        listeners.forEach(listener -> listener.onDecision(decision));
        throw new NoWorkerException(decision);
      }
      dispatch(decision, worker);
      return new RouteLease(this, decision, worker);
    } finally {
      lock.unlock();
    }
  }

  private static @Nullable RegisteredWorker chosen(RoutingDecision decision) {
    final int place = decision.chosen();
    if (place < 0) {
      return null;
    }
    if (decision.refusal(place) != null) {
      throw new IllegalStateException(
          "a routing policy must choose one of the candidates: policy="
              + decision.policy()
              + ", worker="
              + decision.workers().get(place).id()
              + ", refused because="
              + decision.refusal(place));
    }
    return (RegisteredWorker) decision.workers().get(place);
  }

  private void dispatch(RoutingDecision decision, RegisteredWorker worker) {
    worker.dispatch(decision.request());
    boolean isDispatched = false;
    try {
      policy.onDispatched(decision, worker);
      listeners.forEach(listener -> listener.onDecision(decision));
      isDispatched = true;
    } finally {
      if (!isDispatched) {
        worker.release(); // no lease will
      }
    }
  }

  private WorkerSet candidates(RoutingRequest request, RoutingDecision decision) {
    final List<Worker> able = new ArrayList<>(decision.workers().size());
    for (Worker worker : decision.workers()) {
      final String refusal = RoutingFilters.firstRefusal(filters, request, worker);
      if (refusal == null) {
        able.add(worker);
      } else {
        decision.refused(worker, refusal);
      }
    }
    return able.size() == decision.workers().size() ? decision.workers() : new WorkerSet(able);
  }

  private long nowNs() {
    return clock == null ? 0 : clock.nanoTime();
  }

  void firstToken(RoutingRequest request, RegisteredWorker worker) {
    lock.lock();
    try {
      policy.onFirstToken(request, worker);
    } finally {
      lock.unlock();
    }
  }

  void ended(
      RoutingDecision decision,
      RegisteredWorker worker,
      RoutingOutcome outcome,
      long cachedTokens) {
    lock.lock();
    try {
      worker.release();
      policy.onEnded(decision.request(), worker, outcome, cachedTokens);
      for (RoutingListener listener : listeners) {
        listener.onEnded(decision, outcome, cachedTokens);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Collects the parts of a router. */
  public static final class Builder {
    private final RoutingPolicy policy;
    private final List<RoutingFilter> filters = new ArrayList<>();
    private final List<RoutingListener> listeners = new ArrayList<>();
    private @Nullable NanoClock clock;

    private Builder(RoutingPolicy policy) {
      this.policy = policy;
      filters.add(RoutingFilters::unusable);
    }

    /** Adds a reason to leave workers out, for example an open circuit breaker. */
    public Builder filter(RoutingFilter filter) {
      filters.add(filter);
      return this;
    }

    /** Adds a listener of decisions and ends. */
    public Builder listener(RoutingListener listener) {
      listeners.add(listener);
      return this;
    }

    /** Sets the real clock that the cost of decisions is measured with; 0 without one. */
    public Builder clock(NanoClock value) {
      clock = value;
      return this;
    }

    /** Makes the router. */
    public RequestRouter build() {
      return new RequestRouter(this);
    }
  }
}
