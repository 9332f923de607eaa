package dev.headway.cli.journal;

import dev.headway.probes.chronicle.JournalReader;
import dev.headway.probes.chronicle.ReadSummary;
import dev.headway.probes.otel.export.BatchedExport;
import dev.headway.probes.otel.export.ExportCounts;
import dev.headway.probes.otel.export.Exporters;
import dev.headway.probes.otel.export.WhenFull;
import dev.headway.probes.otel.span.OtelSpans;
import dev.headway.probes.otel.span.SpanCounts;
import dev.headway.probes.otel.span.SpanOptions;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headway otlp}: from a journal to OpenTelemetry spans. */
@Command(
    name = "otlp",
    sortOptions = false,
    header = "Exports a journal as OpenTelemetry spans.",
    description = {
      "",
      "One span per request, with what happened to it and why it waited; one per 100 steps, with"
          + " where their time went. The same journal gives the same spans with the same ids.",
      ""
    },
    parameterListHeading = "Parameters:%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:The whole journal was exported.",
      "1:Failed, wholly or in part; the message says how many spans arrived. FILE is as it was.",
      "2:The command line is wrong.",
      "3:Exported, but the journal is cut or damaged, or records were dropped."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway otlp journal/ --endpoint http://localhost:4318",
      "  headway otlp journal/ --output spans.jsonl --step-rate 1 --request chat-42"
    })
public final class OtlpCommand implements Callable<Integer> {

  private static final Pattern WORD_START = Pattern.compile("-(.)");

  @Spec private CommandSpec spec;

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
        description = "Write a file, lines of OTLP-JSON.")
    private @Nullable Path output;
  }

  @Option(names = "--overwrite", description = "Replace FILE if it exists.")
  private boolean overwrite;

  @Option(
      names = "--header",
      paramLabel = "NAME=VALUE",
      description = "Header of every request to the collector; may be repeated.")
  private Map<String, String> headers = Map.of();

  @Option(
      names = "--service-name",
      paramLabel = "NAME",
      defaultValue = "headway",
      description = "service.name of the spans. Default: ${DEFAULT-VALUE}.")
  private String serviceName;

  @Option(
      names = "--model",
      paramLabel = "NAME",
      description = "gen_ai.response.model. Default: the run attribute model.")
  private @Nullable String model;

  @Option(
      names = "--closure-interval",
      paramLabel = "STEPS",
      defaultValue = "100",
      description = "Steps of a step span, 10 to 10000. Default: ${DEFAULT-VALUE}.")
  private int closureInterval;

  @Mixin private SamplingOptions sampling;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "How long a batch may take. Default: ${DEFAULT-VALUE}.")
  private int timeoutSeconds;

  @Option(
      names = {"-q", "--quiet"},
      description = "No progress and no summary.")
  private boolean quiet;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this text.")
  @SuppressWarnings("UnusedVariable") // picocli looks at it
  private boolean help;

  /** For picocli. */
  @SuppressWarnings("NullAway.Init") // picocli fills the fields
  public OtlpCommand() {}

  /** Runs {@code otlp} as a program of its own. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new OtlpCommand()).execute(arguments));
  }

  @Override
  public Integer call() {
    final SpanOptions options = options();
    final JournalRun run = new JournalRun("otlp", spec.commandLine().getErr());
    try {
      JournalReader.open(journal).close(); // before a file is made or a connection opened
      return target.output == null
          ? export(run, options, collector())
          : write(run, options, target.output);
    } catch (IOException | UncheckedIOException e) {
      return run.failed(e);
    }
  }

  private int write(JournalRun run, SpanOptions options, Path output) throws IOException {
    final SpanFile.Existing existing =
        overwrite ? SpanFile.Existing.REPLACED : SpanFile.Existing.KEPT;
    try (SpanFile file = SpanFile.prepare(output, existing)) {
      final int code = export(run, options, file.open());
      if (code != JournalRun.FAILED) {
        file.publish();
      }
      return code;
    }
  }

  private int export(JournalRun run, SpanOptions options, SpanExporter exporter)
      throws IOException {
    final BatchedExport export =
        new BatchedExport(exporter, WhenFull.WAIT, Duration.ofSeconds(timeoutSeconds + 1L));
    final OtelSpans spans = new OtelSpans(options, export);
    final ReadProgress progress =
        quiet ? ReadProgress.silent() : new ReadProgress(run::say, System::nanoTime);
    final ReadSummary summary = run.read(journal, spans, progress);
    return report(run, summary, spans.counts(), export.counts());
  }

  private int report(JournalRun run, ReadSummary summary, SpanCounts spans, ExportCounts export) {
    if (!quiet) {
      run.say(
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
    }
    if (spans.droppedEvents() > 0) {
      run.say("events had no room in their span: dropped=" + spans.droppedEvents());
    }
    final int code = run.report(summary);
    if (export.failed() + export.dropped() > 0) {
      run.say(
          "not all spans arrived: exported="
              + export.exported()
              + ", failed="
              + export.failed()
              + ", dropped="
              + export.dropped());
      return JournalRun.FAILED;
    }
    return code;
  }

  private SpanOptions options() {
    if (timeoutSeconds < 1) {
      throw wrong("--timeout must be >= 1: --timeout=" + timeoutSeconds);
    }
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

  /** Options of the library have the names of ours, written together. */
  private ParameterException wrong(@Nullable String message) {
    String text = String.valueOf(message);
    for (OptionSpec option : spec.options()) {
      final String flag = option.longestName();
      final Matcher parts = WORD_START.matcher(flag.replaceFirst("^-+", ""));
      final String inJava = parts.replaceAll(part -> part.group(1).toUpperCase(Locale.ROOT));
      text = text.replaceAll("(?<![-\\w/])" + inJava + "(?= must|=)", flag);
    }
    return new ParameterException(spec.commandLine(), text);
  }
}
