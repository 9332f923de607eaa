package dev.headway.probes.otel.metric;

import dev.headway.events.live.RecordConsumer;
import dev.headway.events.record.AdmissionsClosedRecord;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.BlockedRecord;
import dev.headway.events.record.CacheResetRecord;
import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.DroppedRecord;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.KvRemovedRecord;
import dev.headway.events.record.KvTransferRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.events.record.RunEndedRecord;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.events.record.UnblockedRecord;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Counts records into Prometheus metrics; {@link MetricNames} lists them.
 *
 * <p>One thread at a time feeds it, never the engine's; {@link #text} may be called from any.
 * Counters go on over the runs of a journal, gauges show the latest one. Time spent waiting is
 * brought up to date by {@link #flush}. No label comes from a request, so that the number of series
 * is fixed by the engine's words.
 */
public final class Metrics implements RecordConsumer {

  private static final String UNKNOWN_MODEL = "unknown";
  private static final String MODEL_ATTRIBUTE = "model";

  private final MetricsOptions options;
  private final PrometheusRegistry registry;
  private final Families families;
  private @Nullable HeadwayMetrics headway;
  private @Nullable RunMeter run;

  /** Counts into a registry of its own. */
  public Metrics(MetricsOptions options) {
    this(options, new PrometheusRegistry());
  }

  /** Counts into {@code registry}, which must not know the names of {@link MetricNames} yet. */
  public Metrics(MetricsOptions options, PrometheusRegistry registry) {
    this.options = options;
    this.registry = registry;
    this.families = new Families(registry);
  }

  /** The registry, for an exporter of yours. */
  public PrometheusRegistry registry() {
    return registry;
  }

  /** A scrape in the text format 0.0.4. */
  public String text() {
    final ExpositionFormatWriter writer =
        PrometheusTextFormatWriter.builder().setIncludeCreatedTimestamps(false).build();
    final ByteArrayOutputStream out = new ByteArrayOutputStream(1 << 16);
    try {
      writer.write(out, registry.scrape());
    } catch (IOException e) {
      throw new AssertionError("memory must take what is written", e);
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  @Override
  public void onRunStarted(RunStartedRecord header) {
    endRun();
    final String model = modelName(header);
    final HeadwayMetrics ours =
        new HeadwayMetrics(families, model, options.engine(), Math.max(0, header.numBlocks() - 1));
    headway = ours;
    run =
        new RunMeter(
            new VllmMetrics(families, model, options.engine(), header),
            new GenAiMetrics(families, options.operationName(), model),
            ours,
            header);
  }

  @Override
  public void onQueued(QueuedRecord request) {
    run().queued(request);
  }

  @Override
  public void onRejected(RejectedRecord record) {
    headway().rejected(record.reason());
  }

  @Override
  public void onAdmitted(AdmittedRecord admitted) {
    run().admitted(admitted);
  }

  @Override
  public void onBlocked(BlockedRecord record) {
    run().blocked(record.stepId(), record.requestNumber(), record.reason());
  }

  @Override
  public void onUnblocked(UnblockedRecord record) {
    run().unblocked(record.stepId(), record.requestNumber());
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedRecord closed) {
    run().admissionsClosed(closed.stepId(), closed.reason());
  }

  @Override
  public void onPreempted(PreemptedRecord record) {
    run().preempted(record.stepId(), record.requestNumber(), record.cause(), record.lostTokens());
  }

  @Override
  public void onCacheReset(CacheResetRecord reset) {
    run().cacheReset(reset.atNs());
  }

  @Override
  public void onPlanned(PlannedStep step) {
    run().planned(step);
  }

  @Override
  public void onFirstToken(FirstTokenRecord record) {
    run().firstToken(record.requestNumber(), record.atNs());
  }

  @Override
  public void onFinished(FinishedRecord request) {
    run().finished(request);
  }

  @Override
  public void onStepCompleted(CompletedStep step) {
    run().completed(step);
  }

  @Override
  public void onKvRemoved(KvRemovedRecord removed) {
    headway().evictedBlocks.inc();
  }

  @Override
  public void onKvTransfer(KvTransferRecord moved) {
    headway().moved(moved);
  }

  @Override
  public void onDropped(DroppedRecord dropped) {
    headway().droppedRecords.inc(dropped.records());
    if (run != null) {
      run.missedRecords();
    }
  }

  @Override
  public void onRunEnded(RunEndedRecord end) {
    run().endRun(end.atNs());
    run = null;
  }

  @Override
  public void flush(long records) {
    if (run != null) {
      run.publish();
    }
  }

  @Override
  public void close() {
    endRun();
  }

  private void endRun() {
    if (run != null) {
      run.endRun(run.latestNs());
      run = null;
    }
  }

  private String modelName(RunStartedRecord header) {
    return options.modelName() != null
        ? options.modelName()
        : header.attributes().getOrDefault(MODEL_ATTRIBUTE, UNKNOWN_MODEL);
  }

  private RunMeter run() {
    if (run == null) {
      throw new IllegalStateException("records must stand between a start and an end record");
    }
    return run;
  }

  private HeadwayMetrics headway() {
    if (headway == null) {
      throw new IllegalStateException("records must come after a start record");
    }
    return headway;
  }
}
