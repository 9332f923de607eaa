package dev.headway.cli.route;

import dev.headway.api.policy.PolicySpec;
import dev.headway.cli.command.CommandMessages;
import dev.headway.probes.otel.export.ExportCounts;
import dev.headway.router.record.RequestTracer;
import dev.headway.router.span.OtlpTracer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What watches {@code headway route}, written as {@code headway serve} has it. */
final class RouteWatchOptions {

  @Option(
      names = "--probe",
      paramLabel = "SPEC",
      description =
          "otlp(endpoint=http://localhost:4318) or otlp(file=spans.jsonl): a span for each request"
              + " and, below it, for each attempt. Also journeyRate, serviceName, timeoutSeconds.")
  private List<String> probes = new ArrayList<>();

  private @Nullable OtlpTracer tracer;

  /**
   * Opens what was asked for, once.
   *
   * @throws IOException if the file exists or cannot be written
   * @throws IllegalArgumentException naming the option that is wrong
   */
  RequestTracer open() throws IOException {
    final Map<String, Map<String, String>> named = PolicySpec.parse(String.join("+", probes));
    for (String name : named.keySet()) {
      if (!name.equals(OtlpTracer.NAME)) {
        throw new IllegalArgumentException("--probe must be otlp: --probe=" + name);
      }
    }
    final Map<String, String> options = named.get(OtlpTracer.NAME);
    if (options == null) {
      return RequestTracer.NONE;
    }
    final OtlpTracer opened = OtlpTracer.named(options);
    tracer = opened;
    return opened;
  }

  /** A line for people; null if nothing watches. */
  @Nullable String described() {
    return probes.isEmpty() ? null : String.join(" + ", probes);
  }

  /** Exports what is left, and says what could not be. */
  void close(CommandMessages messages) {
    if (tracer == null) {
      return;
    }
    tracer.close();
    final ExportCounts counts = tracer.counts();
    if (counts.failed() + counts.dropped() > 0) {
      messages.say(
          "not all spans arrived: exported="
              + counts.exported()
              + ", failed="
              + counts.failed()
              + ", dropped="
              + counts.dropped());
    }
  }
}
