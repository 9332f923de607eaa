package dev.headway.routing.core;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingOutcome;
import dev.headway.routing.policy.Worker;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A request's place on a worker: counted in the worker's load from the decision until this is ended
 * or closed, whichever is first; what comes after that does nothing. Any thread.
 *
 * <pre>{@code
 * try (RouteLease lease = router.route(request)) {
 *   send(lease.worker().url());     // an exception on the way releases the load
 *   lease.firstToken();
 *   lease.ended(RoutingOutcome.COMPLETED, cachedTokens);
 * }
 * }</pre>
 */
public final class RouteLease implements AutoCloseable {

  private final RequestRouter router;
  private final RoutingDecision decision;
  private final RegisteredWorker worker;
  private final AtomicBoolean sawFirstToken = new AtomicBoolean();
  private final AtomicBoolean hasEnded = new AtomicBoolean();

  RouteLease(RequestRouter router, RoutingDecision decision, RegisteredWorker worker) {
    this.router = router;
    this.decision = decision;
    this.worker = worker;
  }

  /** The worker that serves the request. */
  public Worker worker() {
    return worker;
  }

  /** Why it does. */
  public RoutingDecision decision() {
    return decision;
  }

  /** Notes that the first token came; again does nothing. */
  public void firstToken() {
    if (!hasEnded.get() && sawFirstToken.compareAndSet(false, true)) {
      router.firstToken(decision.request(), worker);
    }
  }

  /** Releases the load, with the outcome; nothing is known of the worker's cache. */
  public void ended(RoutingOutcome outcome) {
    ended(outcome, ABSENT);
  }

  /**
   * Releases the load, with the outcome.
   *
   * @param cachedTokens prompt tokens that the worker found in its cache; {@code Absent.ABSENT} if
   *     it did not say
   */
  public void ended(RoutingOutcome outcome, long cachedTokens) {
    if (hasEnded.compareAndSet(false, true)) {
      router.ended(decision, worker, outcome, cachedTokens);
    }
  }

  /** Releases the load if nothing else has: {@link RoutingOutcome#ABANDONED}. */
  @Override
  public void close() {
    ended(RoutingOutcome.ABANDONED);
  }
}
