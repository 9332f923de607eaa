package dev.headway.router.registry;

import dev.headway.router.resilience.CircuitBreaker;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.timing.ClockOffset;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A worker with what the router found out about it. Any thread. */
public final class Backend {

  private final WorkerEntry entry;
  private final Worker worker;
  private final CircuitBreaker breaker;
  private final ClockOffset offset = new ClockOffset();
  private volatile boolean isHealthy;
  private volatile boolean wasHealthy;
  private volatile Set<String> models = Set.of();
  private volatile @Nullable String complaint;
  private volatile @Nullable String clock;

  Backend(WorkerEntry entry, Worker worker, CircuitBreaker breaker, boolean isHealthy) {
    this.entry = entry;
    this.worker = worker;
    this.breaker = breaker;
    this.isHealthy = isHealthy;
    this.wasHealthy = isHealthy;
    if (entry.model() != null) {
      models = Set.of(entry.model());
    }
  }

  /** What it was described as. */
  public WorkerEntry entry() {
    return entry;
  }

  /** What policies see. */
  public Worker worker() {
    return worker;
  }

  /** Its breaker. */
  public CircuitBreaker breaker() {
    return breaker;
  }

  /** Whether it answered its health checks. */
  public boolean isHealthy() {
    return isHealthy;
  }

  /**
   * Notes whether it is healthy.
   *
   * @param why what was wrong with it; null for nothing
   */
  public void health(boolean value, @Nullable String why) {
    isHealthy = value;
    wasHealthy |= value;
    complaint = why;
  }

  /** Whether it ever was: its address is one of a worker. */
  public boolean wasHealthy() {
    return wasHealthy;
  }

  /** What the last health check complained about; null for nothing. */
  public @Nullable String complaint() {
    return complaint;
  }

  /** Models that it serves, as far as is known; empty if nothing is. */
  public Set<String> models() {
    return models;
  }

  /** Notes the models that it said it serves, unless they were configured. */
  public void models(Set<String> value) {
    if (entry.model() == null && !value.isEmpty()) {
      models = Set.copyOf(value);
    }
  }

  /** Learns how far its clock is ahead of this one's; see {@link ClockOffset#learn}. */
  public void learnClock(String id, long sentNs, long receivedNs, long repliedNs, long returnedNs) {
    synchronized (offset) {
      clock = id;
      offset.learn(sentNs, receivedNs, repliedNs, returnedNs);
    }
  }

  /**
   * The estimate of its clock against ours; null while nothing is known.
   *
   * @param ours id of our clock
   */
  public ClockOffset.@Nullable Estimate clockOffset(String ours) {
    synchronized (offset) {
      if (ours.equals(clock)) {
        return ClockOffset.Estimate.SAME_CLOCK;
      }
      return offset.isKnown() ? offset.estimate() : null;
    }
  }
}
