package dev.headway.cli.journal;

import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.OptionNames;
import dev.headway.cli.command.OverwriteOption;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.probes.otel.export.BatchedExport;
import dev.headway.probes.otel.export.ExportCounts;
import dev.headway.probes.otel.export.Exporters;
import dev.headway.probes.otel.export.OtlpJsonFile;
import dev.headway.probes.otel.export.WhenFull;
import dev.headway.probes.otel.span.OtelSpans;
import dev.headway.probes.otel.span.SpanCounts;
import dev.headway.probes.otel.span.SpanOptions;
import dev.headway.toolbox.output.OutputFile;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code headway otlp}: from a journal to OpenTelemetry spans. */
@Command(
    name = "otlp",
    header = "Exports a journal as OpenTelemetry spans.",
    description = {
      "",
      "One span per request, with what happened to it and why it waited; one per 100 steps, with"
          + " where their time went. The same journal gives the same spans with the same ids.",
      ""
    },
    exitCodeList = {
      "0:The whole journal was exported.",
      "1:Failed, wholly or in part; the message says how many spans arrived. FILE is as it was.",
      "2:The command line is wrong.",
      "3:Exported, but the journal is cut or damaged, or records were dropped."
    },
    footer = {
      "  headway otlp journal/ --endpoint http://localhost:4318",
      "  headway otlp journal/ --output spans.jsonl --step-rate 1 --request chat-42"
    })
public final class OtlpCommand extends JournalCommand {

  @Parameters(index = "0", paramLabel = "JOURNAL", description = "Directory of the journal.")
  private Path journal;

  @ArgGroup(multiplicity = "1")
  private Target target;

  /** Where spans go: one of the two. */
  static final class Target {
    @Option(
        names = "--endpoint",
        paramLabel = "URL",
        description = "Send to a collector by OTLP/HTTP; without a path, to /v1/traces of it.")
    private @Nullable String endpoint;

    @Option(
        names = {"-o", "--out", "--output"},
        paramLabel = "FILE",
        description = "File to make, lines of OTLP-JSON.")
    private @Nullable Path output;
  }

  @Mixin private OverwriteOption overwrite;

  @Option(
      names = "--header",
      paramLabel = "NAME=VALUE",
      description = "Sent with every request; repeat it.")
  private Map<String, String> headers = Map.of();

  @Option(
      names = "--service-name",
      paramLabel = "NAME",
      defaultValue = "headway",
      description = "service.name of the spans (${DEFAULT-VALUE}).")
  private String serviceName;

  @Option(
      names = "--served-model-name",
      paramLabel = "NAME",
      description =
          "gen_ai.response.model of the spans: what clients call the model (what the run says).")
  private @Nullable String model;

  @InRange(from = 10, to = 10_000)
  @Option(
      names = "--closure-interval",
      paramLabel = "STEPS",
      defaultValue = "100",
      description = "Steps of a step span, 10 to 10000 (${DEFAULT-VALUE}).")
  private int closureInterval;

  @Mixin private SamplingOptions sampling;

  @InRange(from = 1)
  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "How long a batch may take (${DEFAULT-VALUE}).")
  private int timeoutSeconds;

  @Override
  int run() throws IOException {
    final SpanOptions options = options();
    JournalSource.open(journal).close(); // before a file is made or a connection opened
    return target.output == null ? export(options, collector()) : write(options, target.output);
  }

  private int write(SpanOptions options, Path output) throws IOException {
    try (OutputFile file = OutputFile.prepare(output, overwrite.mode())) {
      final int code = export(options, OtlpJsonFile.open(file.scratch(), StandardOpenOption.WRITE));
      if (code != ExitCode.FAILED) {
        file.publish();
      }
      return code;
    }
  }

  private int export(SpanOptions options, SpanExporter exporter) throws IOException {
    final BatchedExport export =
        new BatchedExport(exporter, WhenFull.WAIT, Duration.ofSeconds(timeoutSeconds + 1L));
    final OtelSpans spans = new OtelSpans(options, export);
    final JournalEnd end = read(journal, spans);
    return report(end, spans.counts(), export.counts());
  }

  private int report(JournalEnd end, SpanCounts spans, ExportCounts export) {
    summary(
        "exported spans="
            + export.exported()
            + " (requests="
            + spans.coreSpans()
            + ", journeys="
            + spans.apiSpans()
            + ", steps="
            + spans.stepSpans()
            + "), not sampled="
            + spans.unsampledRequests());
    if (spans.droppedEvents() > 0) {
      messages.say("events had no room in their span: dropped=" + spans.droppedEvents());
    }
    final int code = ended(end);
    if (export.failed() + export.dropped() > 0) {
      messages.say(
          "not all spans arrived: exported="
              + export.exported()
              + ", failed="
              + export.failed()
              + ", dropped="
              + export.dropped());
      return ExitCode.FAILED;
    }
    return code;
  }

  private SpanOptions options() {
    try {
      return SpanOptions.defaults()
          .withSampling(sampling.sampling())
          .withClosureInterval(closureInterval)
          .withNames(serviceName, model);
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
  }

  private SpanExporter collector() {
    final String endpoint = target.endpoint == null ? "" : target.endpoint;
    try {
      return Exporters.otlpHttp(endpoint, headers, Duration.ofSeconds(timeoutSeconds));
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
  }

  private ParameterException wrong(@Nullable String message) {
    return messages.wrong(OptionNames.asWritten(message, messages.spec()));
  }
}
