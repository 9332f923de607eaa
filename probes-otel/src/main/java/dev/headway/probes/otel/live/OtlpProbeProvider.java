package dev.headway.probes.otel.live;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeProvider;
import dev.headway.events.live.LiveOptions;
import dev.headway.events.live.LiveProbe;
import dev.headway.events.live.NamedOptions;
import dev.headway.probes.otel.export.BatchedExport;
import dev.headway.probes.otel.export.Exporters;
import dev.headway.probes.otel.export.WhenFull;
import dev.headway.probes.otel.span.OtelSpans;
import dev.headway.probes.otel.span.ParentRule;
import dev.headway.probes.otel.span.Sampling;
import dev.headway.probes.otel.span.SpanOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Makes a probe that exports spans while the engine runs; its name is {@code otlp}. A collector
 * that is slow or away costs spans, which are counted, and never time of the engine.
 *
 * <table>
 *   <caption>Options</caption>
 *   <tr><td>endpoint</td><td>of a collector, such as http://localhost:4318; or else</td></tr>
 *   <tr><td>file</td><td>a file that lines of OTLP-JSON are appended to</td></tr>
 *   <tr><td>journeyRate</td><td>share of requests, 1 unless set</td></tr>
 *   <tr><td>stepRate</td><td>share of steps, 0.01 unless set</td></tr>
 *   <tr><td>richRate</td><td>share of those in detail, 0.001 unless set</td></tr>
 *   <tr><td>firstSteps</td><td>steps exported whatever the rate, 0 unless set</td></tr>
 *   <tr><td>seed</td><td>another seed, another choice</td></tr>
 *   <tr><td>parent</td><td>ignore_sampled_bit (unless set) or honour_sampled_bit</td></tr>
 *   <tr><td>closureInterval</td><td>steps of a step span, 100 unless set</td></tr>
 *   <tr><td>serviceName</td><td>headway unless set</td></tr>
 *   <tr><td>model</td><td>the run attribute model unless set</td></tr>
 *   <tr><td>timeoutSeconds</td><td>how long a batch may take, 10 unless set</td></tr>
 * </table>
 *
 * <p>And those of {@link NamedOptions}. For headers, lists of ids or other tail rules, make the
 * consumer: {@code LiveProbe.of(new OtelSpans(options, export))}.
 */
public final class OtlpProbeProvider implements ProbeProvider {

  private static final String[] NAMES = {
    "endpoint",
    "file",
    "journeyRate",
    "stepRate",
    "richRate",
    "firstSteps",
    "seed",
    "parent",
    "closureInterval",
    "serviceName",
    "model",
    "timeoutSeconds"
  };

  /** Called by {@link java.util.ServiceLoader}. */
  public OtlpProbeProvider() {}

  @Override
  public String name() {
    return "otlp";
  }

  @Override
  public String description() {
    return "Exports spans and metrics in OTLP, to an endpoint or a file.";
  }

  /**
   * Opens the export.
   *
   * @throws IOException if the file cannot be written
   * @throws IllegalArgumentException if an option is missing, unknown or out of range
   */
  @Override
  public Probe create(ProbeContext context) throws IOException {
    final NamedOptions options = new NamedOptions(name(), context.options(), NAMES);
    final LiveOptions live = options.live();
    final SpanOptions spans = spans(options);
    final Duration timeout = Duration.ofSeconds(options.number("timeoutSeconds", 10, 1, 3_600));
    final BatchedExport export =
        new BatchedExport(
            Exporters.named(options, timeout), WhenFull.DROP, timeout.plus(Duration.ofSeconds(1)));
    return LiveProbe.of(live, List.of(new OtelSpans(spans, export)));
  }

  private static SpanOptions spans(NamedOptions options) {
    final Sampling usual = Sampling.defaults();
    final Sampling sampling =
        usual
            .withRates(
                options.rate("journeyRate", usual.journeyRate()),
                options.rate("stepRate", usual.stepRate()),
                options.rate("richRate", usual.richRate()))
            .withFirstSteps((int) options.number("firstSteps", 0, 0, Integer.MAX_VALUE))
            .withSeed(options.number("seed", 0, Long.MIN_VALUE, Long.MAX_VALUE))
            .withParent(options.choice("parent", ParentRule.IGNORE_SAMPLED_BIT));
    final SpanOptions all = SpanOptions.defaults();
    return all.withSampling(sampling)
        .withClosureInterval(
            (int) options.number("closureInterval", all.closureInterval(), 10, 10_000))
        .withNames(
            Objects.requireNonNullElse(options.text("serviceName"), all.serviceName()),
            options.text("model"));
  }
}
