package dev.headway.cli.journal;

import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.otel.metric.Metrics;
import dev.headway.probes.otel.metric.MetricsCompat;
import dev.headway.probes.otel.metric.MetricsOptions;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code headway metrics}: what a scrape at the end of a journal would have said. */
@Command(
    name = "metrics",
    header = "Prints the Prometheus metrics of a journal.",
    description = {
      "",
      "Writes to standard output, in Prometheus's text format, what a scrape at the end of the"
          + " journal would have said: vLLM's metrics under their own names, OpenTelemetry's of"
          + " generative AI servers, and headway_ ones. Runs of one journal are added up.",
      ""
    },
    exitCodeList = {
      "0:The whole journal was counted.",
      "1:Failed; nothing was printed.",
      "2:The command line is wrong.",
      "3:Printed, but the journal is cut or damaged, or records were dropped."
    },
    footer = {"  headway metrics journal/ | grep headway_waiting_seconds"})
public final class MetricsCommand extends JournalCommand {

  @Parameters(index = "0", paramLabel = "JOURNAL", description = "Directory of the journal.")
  private Path journal;

  @Option(
      names = "--served-model-name",
      paramLabel = "NAME",
      description =
          "What clients call the model: the label model_name (what the run says, or unknown).")
  private @Nullable String model;

  @Option(
      names = "--engine",
      paramLabel = "LABEL",
      defaultValue = "0",
      description = "Label engine (${DEFAULT-VALUE}).")
  private String engine;

  @Option(
      names = "--metrics-compat",
      paramLabel = "ENGINE",
      description = "Whose names: vllm, or sglang for SGLang's beside them (${DEFAULT-VALUE}).")
  private MetricsCompat compat = MetricsCompat.VLLM;

  @Override
  int run() throws IOException {
    final Metrics metrics =
        new Metrics(
            MetricsOptions.defaults().withModelName(model).withEngine(engine).withCompat(compat));
    final JournalEnd end = read(journal, metrics);
    messages.print(metrics.text());
    return ended(end);
  }
}
