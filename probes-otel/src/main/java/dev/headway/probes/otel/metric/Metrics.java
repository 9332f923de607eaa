package dev.headway.probes.otel.metric;

import dev.headway.api.kvcache.KvResidency;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunModel;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.record.RunStartedRecord;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts records into Prometheus metrics; {@link MetricNames} lists them.
 *
 * <p>One thread at a time feeds it, never the engine's; {@link #text} may be called from any.
 * Counters go on over the runs of a journal, gauges show the latest one. Time spent waiting is
 * brought up to date by {@link #flush}. No series is made of a request, so that their number is
 * fixed by the engine's words; the labels of one list the LoRA adapters in use.
 */
public final class Metrics extends RunModel {

  private final PrometheusRegistry registry;
  private final Meters meters;

  /** Counts into a new registry. */
  public Metrics(MetricsOptions options) {
    this(options, new PrometheusRegistry());
  }

  /** Counts into {@code registry}, which must not know the names of {@link MetricNames} yet. */
  public Metrics(MetricsOptions options, PrometheusRegistry registry) {
    this(registry, new Meters(options, new Families(registry)));
  }

  private Metrics(PrometheusRegistry registry, Meters meters) {
    super(meters);
    this.registry = registry;
    this.meters = meters;
  }

  /** The registry, for your own exporter. */
  public PrometheusRegistry registry() {
    return registry;
  }

  /**
   * Shows how long sampled KV blocks stay, by vLLM's names; what an engine measures is in {@code
   * engine.stats().kvCache().residency()}. Once.
   *
   * @param modelName the label {@code model_name}
   * @param residency asked at each scrape, by its thread
   */
  public void showResidency(String modelName, Supplier<KvResidency> residency) {
    registry.register(new KvResidencyMetrics(residency, modelName, meters.options.engine()));
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
    return meters.families.named(out.toString(StandardCharsets.UTF_8));
  }

  @Override
  public void flush(long records) {
    meters.refresh();
  }

  @Override
  public void close() {
    concludeRun();
  }

  /** A meter for each run. */
  private static final class Meters implements RunListener {

    private static final String UNKNOWN_MODEL = "unknown";
    private static final String MODEL_ATTRIBUTE = "model";

    private final MetricsOptions options;
    private final Families families;
    private @Nullable RunMetrics latest;

    Meters(MetricsOptions options, Families families) {
      this.options = options;
      this.families = families;
    }

    @Override
    public RunListener onRun(RunTimeline run) {
      final String model = modelName(run.header());
      final List<EngineMeter> engines = new ArrayList<>();
      engines.add(new VllmMetrics(families, model, options.engine(), run.header()));
      if (options.compat() == MetricsCompat.SGLANG) {
        engines.add(new SglangMetrics(families, model, run.header()));
      }
      final RunMetrics meter =
          new RunMetrics(
              run,
              engines,
              new GenAiMetrics(families, options.operationName(), model),
              new HeadwayMetrics(
                  families, model, options.engine(), Math.max(0, run.usableBlocks())),
              new LoraRequests(run, families, model, options.engine()));
      latest = meter;
      return meter;
    }

    void refresh() {
      if (latest != null) {
        latest.refresh();
      }
    }

    private String modelName(RunStartedRecord header) {
      return options.modelName() != null
          ? options.modelName()
          : header.attributes().getOrDefault(MODEL_ATTRIBUTE, UNKNOWN_MODEL);
    }
  }
}
