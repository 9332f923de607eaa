package dev.headway.routing.core;

import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.policy.WorkerLoad;
import org.jspecify.annotations.Nullable;

/** A worker with its counts, which are written with the router's lock held. */
final class RegisteredWorker implements Worker {

  private final WorkerSpec spec;
  private final int index;
  private volatile int inFlight;
  private volatile long dispatched;
  private volatile @Nullable WorkerLoad load;
  private final SentTokens unreported = new SentTokens();
  private volatile boolean draining;

  RegisteredWorker(WorkerSpec spec, int index) {
    this.spec = spec;
    this.index = index;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer: the holder of the router's lock
  void dispatch(RoutingRequest request) {
    inFlight++;
    dispatched++;
    unreported.sent(request.nowNs(), request.promptTokens());
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer: the holder of the router's lock
  void release() {
    inFlight--;
  }

  void report(WorkerLoad value) {
    unreported.reported(value.reportedAtNs());
    load = value;
  }

  void drain() {
    draining = true;
  }

  void resume() {
    draining = false;
  }

  @Override
  public String id() {
    return spec.id();
  }

  @Override
  public int index() {
    return index;
  }

  @Override
  public String url() {
    return spec.url();
  }

  @Override
  public @Nullable String model() {
    return spec.model();
  }

  @Override
  public int priority() {
    return spec.priority();
  }

  @Override
  public double cost() {
    return spec.cost();
  }

  @Override
  public int inFlight() {
    return inFlight;
  }

  @Override
  public long dispatched() {
    return dispatched;
  }

  @Override
  public @Nullable WorkerLoad load() {
    return load;
  }

  @Override
  public long unreportedTokens() {
    return unreported.total();
  }

  @Override
  public boolean isDraining() {
    return draining;
  }

  @Override
  public String toString() {
    return id();
  }
}
