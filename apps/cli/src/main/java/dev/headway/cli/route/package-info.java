/**
 * {@code headway route}: the options of a router, and the router that they describe.
 *
 * <p>Read {@link dev.headway.cli.route.RouteCommand}. The proxy is in {@link dev.headway.router}.
 */
@NullMarked
package dev.headway.cli.route;

import org.jspecify.annotations.NullMarked;
