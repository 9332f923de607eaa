package dev.headway.routing.policy;

import org.jspecify.annotations.Nullable;

/** Takes workers out of a decision. Called by one thread at a time. */
@FunctionalInterface
public interface RoutingFilter {

  /**
   * Why the worker cannot take the request, in words for people; null if it can. Must not block.
   */
  @Nullable String refusal(RoutingRequest request, Worker worker);
}
