package dev.headway.routing.policy.builtin;

import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;

/** Matched units of a prompt as tokens. */
final class CachedTokens {

  private CachedTokens() {}

  /** Prompt tokens that a decision believes to be cached at one of its workers. */
  static int of(RoutingDecision decision, Worker worker) {
    return of(decision.request(), decision.matchedUnits(decision.workers().indexOf(worker)));
  }

  /** Matched units as tokens: themselves, or a quarter of the code points. */
  static int of(RoutingRequest request, int matchedUnits) {
    return request.hasTokens() ? matchedUnits : matchedUnits / 4;
  }
}
