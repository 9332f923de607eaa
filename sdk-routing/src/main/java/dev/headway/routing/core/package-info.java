/**
 * The router without a network: which workers there are, what runs on each, and a policy that
 * chooses. The HTTP router, a simulation and programs with several engines use the same.
 *
 * <p>Read {@link dev.headway.routing.core.RequestRouter}, then {@link
 * dev.headway.routing.core.RouteLease}.
 */
@NullMarked
package dev.headway.routing.core;

import org.jspecify.annotations.NullMarked;
