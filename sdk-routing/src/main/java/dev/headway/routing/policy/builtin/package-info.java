/**
 * The policies that come with the router, and how policies are found by name: read {@link
 * dev.headway.routing.policy.builtin.RoutingPolicies}.
 */
@NullMarked
package dev.headway.routing.policy.builtin;

import org.jspecify.annotations.NullMarked;
