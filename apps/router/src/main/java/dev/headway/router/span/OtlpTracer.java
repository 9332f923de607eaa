package dev.headway.router.span;

import dev.headway.events.live.NamedOptions;
import dev.headway.probes.otel.export.BatchedExport;
import dev.headway.probes.otel.export.ExportCounts;
import dev.headway.probes.otel.export.Exporters;
import dev.headway.probes.otel.export.WhenFull;
import dev.headway.probes.otel.span.TraceParent;
import dev.headway.router.record.Attempt;
import dev.headway.router.record.RequestTrace;
import dev.headway.router.record.RequestTracer;
import dev.headway.router.record.RoutedRequest;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Exports spans of requests. Any thread; spans are made and sent on one of its own. If that falls
 * behind, whole requests are dropped and their spans counted, and requests go on.
 *
 * <p>A caller's sampled bit decides; a request that comes without a trace begins one, which is
 * sampled with the probability {@code journeyRate}. Of a trace that is not sampled nothing is
 * exported, and workers learn that it is not.
 */
public final class OtlpTracer implements RequestTracer, AutoCloseable {

  /** The name among {@code --probe}. */
  public static final String NAME = "otlp";

  /** Requests that wait to be exported. */
  static final int QUEUE = 4_096;

  private static final long IDLE_MS = 200;
  private static final String SERVICE = "headway-router";

  private final BlockingQueue<Traced.Over> queue = new ArrayBlockingQueue<>(QUEUE);
  private final LongAdder dropped = new LongAdder();
  private final SpanIds ids = new SpanIds();
  private final RoutingSpans spans;
  private final BatchedExport export;
  private final double rate;
  private final Thread exporting;
  private volatile boolean isClosed;

  private OtlpTracer(SpanExporter exporter, Duration timeout, String service, double rate) {
    this.spans = new RoutingSpans(service);
    this.rate = rate;
    this.export = new BatchedExport(exporter, WhenFull.DROP, timeout.plus(Duration.ofSeconds(1)));
    this.exporting = Thread.ofPlatform().name("headway-route-otlp").daemon().unstarted(this::run);
  }

  /**
   * Opens an export as options name it: {@code endpoint} of a collector or {@code file}, a new one,
   * and {@code journeyRate} (1), {@code serviceName} (headway-router), {@code timeoutSeconds} (10).
   *
   * @throws IOException if the file exists or cannot be written
   * @throws IllegalArgumentException if an option is missing, unknown or out of range
   */
  public static OtlpTracer named(Map<String, String> options) throws IOException {
    final NamedOptions given =
        NamedOptions.only(
            NAME, options, "endpoint", "file", "journeyRate", "serviceName", "timeoutSeconds");
    final double rate = given.rate("journeyRate", 1);
    final String service = given.text("serviceName");
    final Duration timeout = Duration.ofSeconds(given.number("timeoutSeconds", 10, 1, 3_600));
    return open(
        Exporters.named(given, timeout), timeout, service == null ? SERVICE : service, rate);
  }

  /**
   * Exports through {@code exporter}, which is closed with this.
   *
   * @param timeout how long a batch is waited for
   * @param service {@code service.name} of the spans
   * @param rate share of the traces begun here that are sampled, in [0, 1]
   */
  public static OtlpTracer open(
      SpanExporter exporter, Duration timeout, String service, double rate) {
    final OtlpTracer tracer = new OtlpTracer(exporter, timeout, service, rate);
    tracer.exporting.start();
    return tracer;
  }

  @Override
  public RequestTrace begin(@Nullable String traceParent) {
    final TraceParent caller = TraceParent.parse(traceParent);
    if (caller != null) {
      return caller.isSampled()
          ? new Traced(ids, ids.below(caller.context()), caller.context(), this::over)
          : RequestTrace.NONE;
    }
    return ThreadLocalRandom.current().nextDouble() < rate
        ? new Traced(ids, ids.first(TraceFlags.getSampled()), SpanContext.getInvalid(), this::over)
        : new Unsampled(SpanIds.header(ids.first(TraceFlags.getDefault())));
  }

  private void over(Traced.Over request) {
    if (isClosed || !queue.offer(request)) {
      dropped.add(request.spans());
    }
  }

  @Override
  public ExportCounts counts() {
    final ExportCounts sent = export.counts();
    return new ExportCounts(sent.exported(), sent.failed(), sent.dropped() + dropped.sum());
  }

  private void run() {
    try {
      while (!isClosed || !queue.isEmpty()) {
        final Traced.Over next = queue.poll(IDLE_MS, TimeUnit.MILLISECONDS);
        if (next == null) {
          export.flush();
        } else {
          spans.of(next, export);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      export.close();
    }
  }

  /** Exports what is left, as long as the timeout allows. */
  @Override
  public void close() {
    isClosed = true;
    try {
      exporting.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A trace begun here that is not exported. */
  private record Unsampled(String header) implements RequestTrace {
    @Override
    public String beginAttempt() {
      return header;
    }

    @Override
    public void onAttempt(Attempt attempt) {}

    @Override
    public void onEnd(RoutedRequest request) {}
  }
}
