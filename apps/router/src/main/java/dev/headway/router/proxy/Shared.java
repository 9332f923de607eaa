package dev.headway.router.proxy;

import dev.headway.http.server.Arrivals;
import dev.headway.router.admission.Admission;
import dev.headway.router.metrics.RouterMetrics;
import dev.headway.router.prompt.Tokenizing;
import dev.headway.router.record.AttemptListener;
import dev.headway.router.record.RequestTracer;
import dev.headway.router.registry.WorkerRegistry;
import org.jspecify.annotations.Nullable;

/**
 * What all connections of a router share.
 *
 * @param arrivals what clients have in common until a request of theirs is known
 * @param options how requests are passed on
 * @param workers who may serve them
 * @param admission how many may be under way
 * @param metrics what is counted
 * @param attempts is notified of each attempt
 * @param tracer follows requests
 * @param local what the router answers itself
 * @param tokenizing turns prompts into tokens; null if policies get along with texts
 */
public record Shared(
    Arrivals arrivals,
    ProxyOptions options,
    WorkerRegistry workers,
    Admission admission,
    RouterMetrics metrics,
    AttemptListener attempts,
    RequestTracer tracer,
    LocalRoutes local,
    @Nullable Tokenizing tokenizing) {}
