package dev.headway.router.metrics;

import dev.headway.probes.otel.export.ExportCounts;
import dev.headway.router.admission.Admission;
import dev.headway.router.kvcache.CacheFollower;
import dev.headway.router.record.RequestTracer;
import dev.headway.router.registry.Backend;
import dev.headway.router.registry.WorkerRegistry;
import dev.headway.router.resilience.CircuitBreaker;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToDoubleFunction;

/** What a router counts. Any thread. */
public final class RouterMetrics {

  /** What {@link #scrape} writes. */
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private static final double[] BOUNDS = {
    0.00001, 0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300
  };

  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final Counter requests =
      Counter.builder()
          .name("headway_router_requests")
          .help("Requests answered, by the status that the client saw; 499: it went away.")
          .labelNames("status")
          .register(registry);
  private final Counter attempts =
      Counter.builder()
          .name("headway_router_attempts")
          .help("Attempts to serve a request, by worker and how they ended.")
          .labelNames("worker", "outcome")
          .register(registry);
  private final Counter retries =
      Counter.builder()
          .name("headway_router_retries")
          .help("Attempts after the first of a request.")
          .register(registry);
  private final Counter refused =
      Counter.builder()
          .name("headway_router_refused")
          .help("Requests turned away at the door, by reason.")
          .labelNames("reason")
          .register(registry);
  private final Counter withoutTokens =
      Counter.builder()
          .name("headway_router_prompts_without_tokens")
          .help("Prompts that the tokenizer failed on or had no time for; routed by their text.")
          .register(registry);
  private final Histogram queue =
      histogram("queue_seconds", "From a request to its first attempt.");
  private final Histogram pick = histogram("pick_seconds", "What deciding took.");
  private final Histogram first =
      histogram("first_byte_seconds", "From a request to the first part.");
  private final Histogram whole = histogram("request_seconds", "From a request to its end.");
  private final AtomicInteger clients = new AtomicInteger();
  private final AtomicInteger upstreams = new AtomicInteger();

  /** Registers everything, with figures of these. */
  public RouterMetrics(WorkerRegistry workers, Admission admission, RequestTracer tracer) {
    gauge("requests_in_flight", "Requests under way.", admission::inside);
    gauge("requests_waiting", "Requests that wait to be admitted.", admission::waiting);
    gauge("client_connections", "Connections of clients.", clients::get);
    gauge("worker_connections", "Connections to workers.", upstreams::get);
    perWorker(workers, "worker_in_flight", "Attempts under way.", b -> b.worker().inFlight());
    perWorker(
        workers, "worker_healthy", "1 if its health checks pass.", b -> b.isHealthy() ? 1 : 0);
    perWorker(
        workers,
        "worker_breaker",
        "Circuit breaker: 0 closed, 1 half-open, 2 open.",
        b -> breaker(b.breaker().state()));
    CounterWithCallback.builder()
        .name("headway_router_panics")
        .help("Decisions in which no worker was left, and the least bad of them were tried.")
        .callback(callback -> callback.call((double) workers.panics()))
        .register(registry);
    if (tracer.counts() != null) {
      spans(tracer);
    }
  }

  private void spans(RequestTracer tracer) {
    CounterWithCallback.builder()
        .name("headway_router_spans")
        .help("Spans of requests and attempts, by what became of them.")
        .labelNames("result")
        .callback(
            callback -> {
              final ExportCounts counts = tracer.counts();
              if (counts != null) {
                callback.call((double) counts.exported(), "exported");
                callback.call((double) counts.failed(), "failed");
                callback.call((double) counts.dropped(), "dropped");
              }
            })
        .register(registry);
  }

  private static double breaker(CircuitBreaker.State state) {
    return switch (state) {
      case CLOSED -> 0;
      case HALF_OPEN -> 1;
      case OPEN -> 2;
    };
  }

  private Histogram histogram(String name, String help) {
    return Histogram.builder()
        .name("headway_router_" + name)
        .help(help)
        .classicOnly()
        .classicUpperBounds(BOUNDS)
        .withoutExemplars()
        .register(registry);
  }

  private void gauge(String name, String help, java.util.function.IntSupplier value) {
    GaugeWithCallback.builder()
        .name("headway_router_" + name)
        .help(help)
        .callback(callback -> callback.call(value.getAsInt()))
        .register(registry);
  }

  private void perWorker(
      WorkerRegistry workers, String name, String help, ToDoubleFunction<Backend> value) {
    GaugeWithCallback.builder()
        .name("headway_router_" + name)
        .help(help)
        .labelNames("worker")
        .callback(
            callback ->
                workers
                    .backends()
                    .forEach(each -> callback.call(value.applyAsDouble(each), each.entry().id())))
        .register(registry);
  }

  /** A client connected, or went (-1). */
  public void client(int change) {
    clients.addAndGet(change);
  }

  /** A connection to a worker was made, or closed (-1). */
  public void upstream(int change) {
    upstreams.addAndGet(change);
  }

  /** A request was turned away. */
  public void refused(String reason) {
    refused.labelValues(reason).inc();
  }

  /** A prompt stays without tokens. */
  public void withoutTokens() {
    withoutTokens.inc();
  }

  /** Counts what is known of the workers' KV caches. */
  public void kvEvents(WorkerRegistry workers, CacheFollower caches) {
    perWorker(
        workers,
        "worker_kv_blocks",
        "KV blocks that the worker has by its KV events.",
        each -> caches.blocks(each.entry().id()));
    perWorker(
        workers,
        "worker_kv_events_connected",
        "1 if its KV events are followed.",
        each -> caches.isConnected(each.entry().id()) ? 1 : 0);
  }

  /** An attempt begins: after so long, and after so long a decision. */
  public void attempt(int number, long queueNs, long pickNs) {
    if (number == 0) {
      queue.observe(queueNs / 1e9);
    } else {
      retries.inc();
    }
    pick.observe(pickNs / 1e9);
  }

  /** An attempt ended. */
  public void attemptEnded(String worker, String outcome) {
    attempts.labelValues(worker, outcome).inc();
  }

  /** The first part of an answer came. */
  public void firstByte(long sinceRequestNs) {
    first.observe(sinceRequestNs / 1e9);
  }

  /** A request ended; 499 if its client went away. */
  public void ended(int status, long sinceRequestNs) {
    requests.labelValues(Integer.toString(status)).inc();
    whole.observe(sinceRequestNs / 1e9);
  }

  /** Everything, as Prometheus reads it. */
  public byte[] scrape() {
    try {
      final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      PrometheusTextFormatWriter.create().write(bytes, registry.scrape());
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
