package dev.headway.routing.policy;

/**
 * Follows requests from the decision to their end. Methods are called one at a time, with the lock
 * of the router held: they must not block or throw. What was dispatched ends exactly once.
 */
public interface RoutingObserver {

  /** The decision's request was given to {@code worker}, whose load counts it already. */
  default void onDispatched(RoutingDecision decision, Worker worker) {}

  /** The worker answered the first token. */
  default void onFirstToken(RoutingRequest request, Worker worker) {}

  /**
   * The attempt ended, and the worker's load no longer counts it.
   *
   * @param cachedTokens prompt tokens that the worker found in its cache; {@code Absent.ABSENT} if
   *     it did not say
   */
  default void onEnded(
      RoutingRequest request, Worker worker, RoutingOutcome outcome, long cachedTokens) {}

  /** The worker is gone and will not come back; an equal address gets a new object. */
  default void onWorkerRemoved(Worker worker) {}
}
