/**
 * Which worker serves a request, as a decision that can be replaced and explained.
 *
 * <pre>{@code
 * RoutingRequest, WorkerSet ─▶ RoutingFilter ─▶ RoutingScorer ─▶ RoutingPicker ─▶ RoutingDecision
 *                                              (several, each with a weight)
 * }</pre>
 *
 * <p>Read {@link dev.headway.routing.policy.RoutingPolicy}, then {@link
 * dev.headway.routing.policy.ScoredPolicy}, which puts the three parts together. A {@link
 * dev.headway.routing.policy.RoutingPolicyProvider} gives a policy its name. Policies hold no lock:
 * the router that owns them calls one method at a time.
 */
@NullMarked
package dev.headway.routing.policy;

import org.jspecify.annotations.NullMarked;
