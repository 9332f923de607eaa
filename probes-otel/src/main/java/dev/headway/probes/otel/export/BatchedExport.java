package dev.headway.probes.otel.export;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands spans to an exporter in batches, one batch at a time.
 *
 * <p>One thread calls it; {@link #counts} may be asked from any. Memory is bounded by two batches
 * and, with {@link WhenFull#DROP}, {@value #QUEUED_BATCHES} more. The first failure is logged.
 */
public final class BatchedExport implements SpanSink {

  /** Spans of a batch. */
  public static final int BATCH_SPANS = 512;

  private static final int QUEUED_BATCHES = 4;
  private static final Logger LOG = LoggerFactory.getLogger(BatchedExport.class);

  private final SpanExporter exporter;
  private final WhenFull whenFull;
  private final long timeoutNs;
  private final LongAdder exported = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final AtomicBoolean failureLogged = new AtomicBoolean();

  private List<SpanData> queue = new ArrayList<>(BATCH_SPANS);
  private @Nullable Batch underWay;

  /**
   * Exports through {@code exporter}, which is closed with this.
   *
   * @param timeout how long a batch is waited for; beyond it, it counts as failed
   */
  public BatchedExport(SpanExporter exporter, WhenFull whenFull, Duration timeout) {
    this.exporter = exporter;
    this.whenFull = whenFull;
    this.timeoutNs = timeout.toNanos();
  }

  @Override
  public void accept(SpanData span) {
    if (queue.size() >= BATCH_SPANS) {
      send();
    }
    if (queue.size() >= BATCH_SPANS * QUEUED_BATCHES) {
      dropped.increment();
      return;
    }
    queue.add(span);
  }

  @Override
  public void flush() {
    if (!queue.isEmpty() && (underWay == null || underWay.isDone())) {
      sendNow();
    }
  }

  @Override
  public void close() {
    awaitBatch();
    while (!queue.isEmpty()) {
      sendNow();
      awaitBatch();
    }
    try {
      exporter.shutdown().join(timeoutNs, TimeUnit.NANOSECONDS);
    } catch (RuntimeException e) {
      logOnce(e);
    }
  }

  /** What became of the spans so far. */
  public ExportCounts counts() {
    return new ExportCounts(exported.sum(), failed.sum(), dropped.sum());
  }

  private void send() {
    if (underWay != null && !underWay.isDone()) {
      if (whenFull == WhenFull.DROP) {
        return;
      }
      awaitBatch();
    }
    sendNow();
  }

  private void sendNow() {
    final int size = Math.min(BATCH_SPANS, queue.size());
    final List<SpanData> spans = List.copyOf(queue.subList(0, size));
    queue = new ArrayList<>(queue.subList(size, queue.size()));
    final Batch batch = new Batch(size);
    underWay = batch;
    try {
      final CompletableResultCode result = exporter.export(spans);
      batch.result = result;
      result.whenComplete(() -> batch.settle(result.isSuccess()));
    } catch (RuntimeException e) {
      batch.settle(false);
      logOnce(e);
    }
  }

  private void awaitBatch() {
    final Batch batch = underWay;
    if (batch == null) {
      return;
    }
    if (batch.result != null) {
      batch.result.join(timeoutNs, TimeUnit.NANOSECONDS);
    }
    batch.settle(false); // of no effect if it is done
    underWay = null;
  }

  private void logOnce(@Nullable Throwable cause) {
    if (failureLogged.compareAndSet(false, true)) {
      LOG.warn(
          "spans could not be exported, is a collector listening at the endpoint? Further failures"
              + " are only counted",
          cause);
    }
  }

  /** Spans under way; settled once, by the first of success, failure and timeout. */
  private final class Batch {
    private final int size;
    private final AtomicBoolean settled = new AtomicBoolean();
    private @Nullable CompletableResultCode result;

    Batch(int size) {
      this.size = size;
    }

    boolean isDone() {
      return settled.get();
    }

    void settle(boolean success) {
      if (!settled.compareAndSet(false, true)) {
        return;
      }
      (success ? exported : failed).add(size);
      if (!success) {
        logOnce(null);
      }
    }
  }
}
