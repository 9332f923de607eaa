package dev.headway.router;

import dev.headway.api.time.NanoClock;
import dev.headway.router.admission.Admission;
import dev.headway.router.control.ControlRoutes;
import dev.headway.router.health.HealthChecks;
import dev.headway.router.kvcache.CacheFollower;
import dev.headway.router.metrics.RouterMetrics;
import dev.headway.router.prompt.Tokenizing;
import dev.headway.router.proxy.Proxy;
import dev.headway.router.proxy.Shared;
import dev.headway.router.registry.WorkerEntry;
import dev.headway.router.registry.WorkerRegistry;
import dev.headway.routing.policy.RoutingPolicy;
import dev.headway.routing.timing.HostClock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A router in front of several servers. Any thread. */
public final class Router implements AutoCloseable {

  private final WorkerRegistry workers;
  private final Admission admission;
  private final HealthChecks health;
  private final @Nullable CacheFollower caches;
  private final @Nullable Tokenizing tokenizing;
  private final Proxy proxy;
  private final AtomicBoolean isDraining = new AtomicBoolean();

  private Router(RouterOptions options, RoutingPolicy policy, NanoClock clock) throws IOException {
    workers = new WorkerRegistry(policy, options.breakers(), clock);
    for (WorkerEntry each : options.workers()) {
      workers.add(each, false);
    }
    admission = new Admission(options.admission(), HostClock::nanoTime);
    final RouterMetrics metrics = new RouterMetrics(workers, admission, options.tracer());
    caches = options.caches().index() == null ? null : new CacheFollower(options.caches().index());
    if (caches != null) {
      metrics.kvEvents(workers, caches);
    }
    tokenizing =
        options.caches().tokenizer() == null
            ? null
            : new Tokenizing(
                options.caches().tokenizer(), options.threads(), metrics::withoutTokens);
    health = new HealthChecks(workers, options.health(), caches);
    final ControlRoutes control =
        new ControlRoutes(
            workers,
            metrics,
            options.controlKeys(),
            isDraining::get,
            this::underWay,
            health::checkSoon);
    try {
      proxy =
          new Proxy(
              new Shared(
                  options.proxy().clients().arrivals(options.address().getAddress()),
                  options.proxy(),
                  workers,
                  admission,
                  metrics,
                  options.attempts(),
                  options.tracer(),
                  control,
                  tokenizing),
              options.address(),
              options.threads());
    } catch (IOException e) {
      closeRest();
      throw e;
    }
  }

  /**
   * Starts a router.
   *
   * @param clock the process's real clock
   * @throws IOException if it cannot listen
   * @throws IllegalArgumentException if two workers have the same id
   */
  public static Router start(RouterOptions options, RoutingPolicy policy, NanoClock clock)
      throws IOException {
    return new Router(options, policy, clock);
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return proxy.address();
  }

  /** The workers. */
  public WorkerRegistry workers() {
    return workers;
  }

  /** Requests under way, those that wait included. */
  public int underWay() {
    return admission.inside() + admission.waiting();
  }

  /**
   * Takes no more requests and waits for those under way.
   *
   * @return whether all have ended
   * @throws InterruptedException if the thread is interrupted
   */
  public boolean drain(Duration longest) throws InterruptedException {
    isDraining.set(true);
    return proxy.drain(longest);
  }

  @Override
  public void close() {
    isDraining.set(true);
    proxy.close();
    closeRest();
  }

  private void closeRest() {
    health.close();
    if (caches != null) {
      caches.close();
    }
    if (tokenizing != null) {
      tokenizing.close();
    }
  }
}
