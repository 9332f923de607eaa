package dev.headway.router;

import dev.headway.api.time.ClockAnchor;
import dev.headway.api.time.NanoClock;
import dev.headway.http.ApiKeys;
import dev.headway.http.RawClient;
import dev.headway.router.admission.AdmissionOptions;
import dev.headway.router.health.HealthOptions;
import dev.headway.router.kvcache.CacheOptions;
import dev.headway.router.proxy.ClientRules;
import dev.headway.router.proxy.ProxyOptions;
import dev.headway.router.record.Attempt;
import dev.headway.router.record.RequestTracer;
import dev.headway.router.registry.Backend;
import dev.headway.router.registry.WorkerEntry;
import dev.headway.router.resilience.BreakerOptions;
import dev.headway.router.resilience.CircuitBreaker;
import dev.headway.router.resilience.RetryOptions;
import dev.headway.routing.policy.RoutingContext;
import dev.headway.routing.policy.builtin.RoutingPolicies;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A router in front of fake workers, and a client of it. */
final class RouterFixture implements AutoCloseable {

  String policy = "round-robin";
  Duration requestTimeout = Duration.ofSeconds(30);
  int attempts = 5;
  UnaryOperator<ClientRules> clients = usual -> usual;
  ApiKeys controlKeys = ApiKeys.NONE;
  RequestTracer tracer = RequestTracer.NONE;
  AdmissionOptions admission = AdmissionOptions.DEFAULT;
  BreakerOptions breakers =
      new BreakerOptions(3, Duration.ofSeconds(120), Duration.ofMillis(200), 1, 1);
  CacheOptions caches = CacheOptions.NONE;
  Duration healthInterval = Duration.ofMillis(50);

  final Queue<Attempt> attemptsMade = new ConcurrentLinkedQueue<>();
  final List<FakeWorker> workers = new ArrayList<>();
  final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private @Nullable Router router;

  RouterFixture(int count) {
    for (int i = 0; i < count; i++) {
      workers.add(new FakeWorker());
    }
  }

  RouterFixture start() throws IOException {
    final RetryOptions usual = RetryOptions.DEFAULT;
    final List<WorkerEntry> entries =
        workers.stream().map(each -> WorkerEntry.of(each.url())).toList();
    final RouterOptions options =
        new RouterOptions(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            2,
            entries,
            new ProxyOptions(
                new RetryOptions(
                    attempts, Duration.ofMillis(5), usual.factor(), usual.longest(), 0.2),
                requestTimeout,
                Duration.ofSeconds(2),
                clients.apply(ClientRules.ofHeap(256L << 20).withBodyBytes(1 << 20)),
                null),
            admission,
            breakers,
            new HealthOptions(
                "/health",
                healthInterval,
                Duration.ofSeconds(2),
                1_000,
                1,
                Duration.ofMillis(100),
                null),
            controlKeys,
            attemptsMade::add,
            tracer,
            caches);
    router =
        Router.start(
            options,
            new RoutingPolicies(getClass().getClassLoader())
                .create(policy, new RoutingContext(Map.of(), 7, caches.index(), null)),
            new HostNanoClock());
    eventually(
        "workers healthy",
        () ->
            router().workers().backends().stream().allMatch(Backend::isHealthy)
                && router().workers().backends().stream().noneMatch(b -> b.models().isEmpty()));
    return this;
  }

  Router router() {
    if (router == null) {
      throw new IllegalStateException("a router must be started");
    }
    return router;
  }

  int port() {
    return router().address().getPort();
  }

  /** A client that sends bytes as they are. */
  RawClient raw() throws IOException {
    return RawClient.connect(port());
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
        .timeout(Duration.ofSeconds(30));
  }

  HttpRequest completion(String body) {
    return request("/v1/completions").POST(HttpRequest.BodyPublishers.ofString(body)).build();
  }

  HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return http.send(request, BodyHandlers.ofString());
  }

  CircuitBreaker.State breaker(int worker) {
    return router().workers().backends().get(worker).breaker().state();
  }

  int load() {
    return router().workers().backends().stream().mapToInt(b -> b.worker().inFlight()).sum();
  }

  /** Nothing is under way anywhere in the router. */
  void awaitIdle() {
    eventually("nothing under way", () -> load() == 0 && router().underWay() == 0);
  }

  static void eventually(String what, BooleanSupplier condition) {
    final long untilNs = System.nanoTime() + 20_000_000_000L;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > untilNs) {
        throw new AssertionError("must be so within 20 s: " + what);
      }
      try {
        Thread.sleep(5);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Override
  public void close() {
    if (router != null) {
      router.close();
    }
    workers.forEach(FakeWorker::close);
    http.close();
  }

  private static final class HostNanoClock implements NanoClock {
    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public void sleepUntil(long deadlineNs) {
      throw new UnsupportedOperationException("a router does not sleep");
    }

    @Override
    public ClockAnchor anchor() {
      throw new UnsupportedOperationException("a router needs no calendar");
    }

    @Override
    public boolean isVirtual() {
      return false;
    }
  }
}
