package dev.headway.router.proxy;

import dev.headway.router.admission.Admission;
import dev.headway.router.metrics.RouterMetrics;
import dev.headway.router.record.AttemptListener;
import dev.headway.router.registry.WorkerRegistry;

/**
 * What all connections of a router share.
 *
 * @param options how requests are passed on
 * @param workers who may serve them
 * @param admission how many may be under way
 * @param metrics what is counted
 * @param attempts is told of each attempt
 * @param local what the router answers itself
 */
public record Shared(
    ProxyOptions options,
    WorkerRegistry workers,
    Admission admission,
    RouterMetrics metrics,
    AttemptListener attempts,
    LocalRoutes local) {}
