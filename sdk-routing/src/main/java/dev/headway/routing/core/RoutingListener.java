package dev.headway.routing.core;

import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingOutcome;

/**
 * Notified of every decision and of what became of it. Methods are called one at a time with the
 * router's lock held: they hand over what takes long, and must not throw.
 */
public interface RoutingListener {

  /** A decision was made; {@link RoutingDecision#chosen} is -1 if there was no worker. */
  default void onDecision(RoutingDecision decision) {}

  /**
   * The attempt that followed a decision ended.
   *
   * @param cachedTokens prompt tokens that the worker found in its cache; {@code Absent.ABSENT} if
   *     it did not say
   */
  default void onEnded(RoutingDecision decision, RoutingOutcome outcome, long cachedTokens) {}
}
