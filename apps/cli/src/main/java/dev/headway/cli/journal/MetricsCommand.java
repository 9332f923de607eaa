package dev.headway.cli.journal;

import dev.headway.probes.chronicle.ReadSummary;
import dev.headway.probes.otel.metric.Metrics;
import dev.headway.probes.otel.metric.MetricsOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headway metrics}: what a scrape at the end of a journal would have said. */
@Command(
    name = "metrics",
    sortOptions = false,
    header = "Prints the Prometheus metrics of a journal.",
    description = {
      "",
      "Writes to standard output, in Prometheus's text format, what a scrape at the end of the"
          + " journal would have said: vLLM's metrics under their own names, OpenTelemetry's of"
          + " generative AI servers, and headway_ ones. Runs of one journal are added up.",
      ""
    },
    parameterListHeading = "Parameters:%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:The whole journal was counted.",
      "1:Failed; nothing was printed.",
      "2:The command line is wrong.",
      "3:Printed, but the journal is cut or damaged, or records were dropped."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  headway metrics journal/ | grep headway_waiting_seconds"})
public final class MetricsCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "JOURNAL", description = "Directory of the journal.")
  private Path journal;

  @Option(
      names = "--model",
      paramLabel = "NAME",
      description = "Label model_name. Default: the run attribute model, or unknown.")
  private @Nullable String model;

  @Option(
      names = "--engine",
      paramLabel = "LABEL",
      defaultValue = "0",
      description = "Label engine. Default: ${DEFAULT-VALUE}.")
  private String engine;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this text.")
  @SuppressWarnings("UnusedVariable") // picocli looks at it
  private boolean help;

  /** For picocli. */
  @SuppressWarnings("NullAway.Init") // picocli fills the fields
  public MetricsCommand() {}

  /** Runs {@code metrics} as a program of its own. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new MetricsCommand()).execute(arguments));
  }

  @Override
  public Integer call() {
    final JournalRun run = new JournalRun("metrics", spec.commandLine().getErr());
    final Metrics metrics =
        new Metrics(MetricsOptions.defaults().withModelName(model).withEngine(engine));
    try {
      final ReadSummary summary = run.read(journal, metrics, ReadProgress.silent());
      final PrintWriter out = spec.commandLine().getOut();
      out.print(metrics.text());
      out.flush();
      return run.report(summary);
    } catch (IOException | UncheckedIOException e) {
      return run.failed(e);
    }
  }
}
