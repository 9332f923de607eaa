package dev.headway.scheduler.policy.guard;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A policy in one of its decisions. Asking goes {@link #active}, {@link #start}, the policy, {@link
 * #accepts} or {@link #failed}, {@link #stop}. Engine thread only, except {@link #faults}.
 */
final class Guarded<T> {

  private final PolicyDecision decision;
  private final @Nullable T policy;
  private final @Nullable PolicyHealth health;
  private final AtomicLong faults = new AtomicLong();
  private int inARow;

  Guarded(PolicyDecision decision, @Nullable T policy, @Nullable PolicyHealth health) {
    this.decision = decision;
    this.policy = policy;
    this.health = health;
  }

  PolicyDecision decision() {
    return decision;
  }

  /** Failures so far. Any thread. */
  long faults() {
    return faults.get();
  }

  /** Whether there is a policy, disabled or not. */
  boolean isPresent() {
    return policy != null;
  }

  /** Returns the policy, or null if there is none or it is disabled. */
  @Nullable T active() {
    return health == null || health.isDisabled() ? null : policy;
  }

  long start() {
    return health == null ? 0 : health.start();
  }

  void stop(long startNs) {
    if (health != null) {
      health.stop(startNs);
    }
  }

  /** Notes an answer; returns whether it can be used. */
  boolean accepts(boolean possible, double answer) {
    if (possible) {
      inARow = 0;
    } else {
      fail("answer=" + answer, null);
    }
    return possible;
  }

  /** Notes that the policy threw. */
  void failed(Throwable cause) {
    fail("it threw", cause);
  }

  private void fail(String what, @Nullable Throwable cause) {
    faults.incrementAndGet();
    inARow++;
    if (health != null) {
      health.failed(decision, inARow, what, cause);
    }
  }
}
