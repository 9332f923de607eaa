/**
 * The way of a request through client, router, server and scheduler: 25 instants and what lies
 * between them.
 *
 * <p>Read {@link dev.headway.routing.timing.TimingStage} first, which defines each instant by what
 * has happened at it, then {@link dev.headway.routing.timing.RequestTiming}, which holds those of a
 * request. Instants are nanoseconds of a host's monotonic clock ({@link
 * dev.headway.routing.timing.HostClock}); those of two hosts are compared through an estimated
 * offset whose error is known ({@link dev.headway.routing.timing.ClockOffset}), never otherwise.
 */
@NullMarked
package dev.headway.routing.timing;

import org.jspecify.annotations.NullMarked;
