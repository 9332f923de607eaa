package dev.headway.router;

import dev.headway.http.ApiKeys;
import dev.headway.router.admission.AdmissionOptions;
import dev.headway.router.health.HealthOptions;
import dev.headway.router.kvcache.CacheOptions;
import dev.headway.router.proxy.ProxyOptions;
import dev.headway.router.record.AttemptListener;
import dev.headway.router.record.RequestTracer;
import dev.headway.router.registry.WorkerEntry;
import dev.headway.router.resilience.BreakerOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * A router.
 *
 * @param address where it listens
 * @param threads event loops, >= 1
 * @param workers the first workers
 * @param proxy how requests are passed on
 * @param admission how many are taken
 * @param breakers when a worker is left alone
 * @param health how workers are asked how they are
 * @param controlKeys one of which lets callers add and remove workers; without any no caller may
 * @param attempts is notified of each attempt
 * @param tracer follows requests; not closed by the router
 * @param caches how it knows what workers have cached
 */
public record RouterOptions(
    InetSocketAddress address,
    int threads,
    List<WorkerEntry> workers,
    ProxyOptions proxy,
    AdmissionOptions admission,
    BreakerOptions breakers,
    HealthOptions health,
    ApiKeys controlKeys,
    AttemptListener attempts,
    RequestTracer tracer,
    CacheOptions caches) {

  /** Copies. */
  public RouterOptions {
    workers = List.copyOf(workers);
  }

  /** The usual values, on a port of the loopback address. */
  public static RouterOptions loopback(int port, List<WorkerEntry> workers) {
    return new RouterOptions(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
        2,
        workers,
        ProxyOptions.DEFAULT,
        AdmissionOptions.DEFAULT,
        BreakerOptions.DEFAULT,
        HealthOptions.DEFAULT,
        ApiKeys.NONE,
        attempt -> {},
        RequestTracer.NONE,
        CacheOptions.NONE);
  }
}
