package dev.headway.cli.simulate;

import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.workload.TraceFormat;
import dev.headway.simulation.workload.TraceReaders;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.Workloads;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headway replay}: a trace through the scheduler, in virtual time. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Replays a request trace through the scheduler in virtual time.",
    description = {
      "",
      "Every request of TRACE goes to a real engine at its time of arrival; the model is simulated."
          + " Leaves the journal of every decision, the CSV files and a summary. Equal arguments"
          + " give byte-identical CSV files. The defaults are Llama-3.1-8B on one H100 with 80 GB.",
      ""
    },
    parameterListHeading = "Parameters:%n",
    optionListHeading = "%nTrace:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:The whole trace was replayed; requests that the engine refused are in the summary.",
      "1:The run failed: DIR is not touched.",
      "2:The command line is wrong."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway replay trace.csv.gz",
      "  headway replay --rate-scale 2 --kv-gib 20 --out out/small trace.jsonl.gz",
      "  headway replay --journal off --limit 1000 trace.csv"
    })
public final class ReplayCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "TRACE", description = "CSV or JSONL file, plain or gzip.")
  private Path trace;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description =
          "auto, azure, mooncake, llmservingsim, vidur or headway; auto goes by the columns"
              + " (${DEFAULT-VALUE}).")
  private String format = TraceFormat.AUTO.label();

  @Option(
      names = "--rate-scale",
      paramLabel = "FACTOR",
      description = "Requests arrive this many times as fast (${DEFAULT-VALUE}).")
  private double rateScale = 1;

  @Option(names = "--limit", paramLabel = "N", description = "Replay the first N requests only.")
  private @Nullable Long limit;

  @Option(
      names = {"-q", "--quiet"},
      description = "No progress and no summary.")
  private boolean quiet;

  @ArgGroup(validate = false, heading = "%nOutput:%n")
  private RecordingOptions recording = new RecordingOptions();

  @ArgGroup(validate = false, heading = "%nEngine:%n")
  private EngineOptions engine = new EngineOptions();

  @Option(
      names = "--policy",
      paramLabel = "SPEC",
      description =
          "What decides instead of the scheduler: fcfs, priority, or policies joined by +, as in"
              + " vtc(wq=2)+least-computed; repeat it or use +. headway compare --list-policies"
              + " names them (fcfs).")
  private List<String> policies = new ArrayList<>();

  /** For picocli. */
  @SuppressWarnings("NullAway.Init") // picocli fills the fields
  public ReplayCommand() {}

  @Override
  public Integer call() throws IOException {
    final EngineSettings settings = settings();
    final TraceFormat known = traceFormat();
    final ProgressDisplay.Audience audience =
        quiet ? ProgressDisplay.Audience.NOBODY : ProgressDisplay.Audience.present();
    try (Workload workload = adjusted(TraceReaders.open(trace, known))) {
      final String name = String.valueOf(trace.getFileName());
      final String summary =
          new Simulation(settings, recording.recording(), audience)
              .run(workload, name, limit == null ? -1 : limit);
      if (!quiet) {
        print(name, summary, workload.adjustedRows());
      }
    }
    return 0;
  }

  private EngineSettings settings() {
    try {
      return engine.settings(
          PolicyChoice.parse(String.join("+", policies)).requireNoEngineOptions());
    } catch (IllegalArgumentException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
  }

  /** Checks the options of the workload as well, before the file is opened. */
  private TraceFormat traceFormat() {
    if (!(rateScale > 0) || Double.isInfinite(rateScale)) {
      throw wrong("--rate-scale must be finite and > 0: --rate-scale=" + rateScale);
    }
    if (limit != null && limit < 1) {
      throw wrong("--limit must be >= 1: --limit=" + limit);
    }
    try {
      return TraceFormat.ofLabel(format);
    } catch (IllegalArgumentException e) {
      throw wrong("--format: " + e.getMessage());
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private Workload adjusted(Workload read) {
    final Workload scaled = Workloads.scaleRate(read, rateScale);
    return limit == null ? scaled : Workloads.limit(scaled, limit);
  }

  private void print(String name, String summary, long adjustedRows) {
    final PrintWriter out = spec.commandLine().getOut();
    out.println();
    out.println("  " + name);
    out.println();
    out.print(summary);
    if (adjustedRows > 0) {
      out.println("  adjusted      rows that asked for 0 output tokens got 1: " + adjustedRows);
    }
    out.println("  files         " + recording.recording().out());
    out.flush();
  }
}
