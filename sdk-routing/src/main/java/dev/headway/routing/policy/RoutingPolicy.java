package dev.headway.routing.policy;

/**
 * Chooses a worker for each request. Called by one thread at a time; may keep state.
 *
 * <p>A policy chooses; that loads are counted, released once and excluded workers left out is the
 * router's.
 */
public interface RoutingPolicy extends RoutingObserver {

  /** The name it was asked for by. */
  String name();

  /**
   * Chooses one of the candidates with {@link RoutingDecision#choose}, and says in the decision
   * why. Without a choice the request is refused.
   *
   * <p>Must not block. What it learns of requests that are really sent belongs into {@link
   * #onDispatched}.
   *
   * @param candidates workers that can take the request, at least one
   * @param decision to be filled in
   */
  void route(RoutingRequest request, WorkerSet candidates, RoutingDecision decision);
}
