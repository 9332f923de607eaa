package dev.headway.cli.simulate;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.LoadReading;
import dev.headway.cli.command.QuietOption;
import dev.headway.simulation.compare.Load;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.workload.Workload;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code headway replay}: a trace through the scheduler, in virtual time. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    header = "Replays a request trace through the scheduler, in virtual or real time.",
    description = {
      "",
      "Every request of LOAD goes to a real engine at its time of arrival; the model is simulated."
          + " Leaves the journal of every decision, the CSV files and a summary. With"
          + " --reproducible equal arguments give byte-identical files. The defaults are Llama-3.1-8B on one H100 with 80 GB.",
      ""
    },
    optionListHeading = "%nTrace:%n",
    exitCodeList = {
      "0:The whole trace was replayed; requests that the engine refused are in the summary.",
      "1:The run failed: DIR is not touched.",
      "2:The command line is wrong."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway replay trace.csv.gz",
      "  headway replay --rate-scale 2 --kv-gib 20 --out out/small trace.jsonl.gz",
      "  headway replay 'chatbot(rate=30,requests=10000,seed=1)'",
      "  headway replay --real-time \\",
      "      --executor auto 'generated(rate=5,requests=50,input=64,output=16)'",
      "  headway replay --journal-level off --limit 1000 trace.csv"
    })
public final class ReplayCommand implements Callable<Integer> {

  @Mixin private CommandMessages messages;

  @Parameters(
      paramLabel = "LOAD",
      description =
          "CSV, JSONL or ShareGPT file, plain or gzip; journal; workload spec of BLIS in YAML; directory of"
              + " ServeGen; or a made-up load, as in chatbot(rate=5).")
  private String trace;

  @Mixin private TraceOptions options;
  @Mixin private LoadReading reading;
  @Mixin private QuietOption quiet;

  @ArgGroup(validate = false, heading = "%nOutput:%n")
  private RecordingOptions recording = new RecordingOptions();

  @ArgGroup(validate = false, heading = "%nTime:%n")
  private PaceOptions pace = new PaceOptions();

  @ArgGroup(validate = false, heading = "%nEngine:%n")
  private EngineOptions engine = new EngineOptions();

  @Mixin private PolicyOption policy;

  @Override
  public Integer call() throws IOException {
    final Load load = // its options are checked before the file is opened
        reading.ofOnly(
            new Load(trace, options.format(messages), options.rateScale(), options.limit(), 0),
            messages);
    final RecordedDefaults recorded = RecordedDefaults.of(load, messages);
    final EngineOptions chosen = recorded.engine(engine);
    final EngineSettings settings = chosen.settings(recorded.policies(policy.given()), messages);
    try (Workload workload = open(load);
        Pace opened = pace.open(recording.clock(), settings, chosen, messages)) {
      final String summary =
          new Simulation(settings, recording, quiet)
              .run(opened, workload, load.name(), options.limit());
      if (!quiet.isSet()) {
        messages.print(
            "%n  %s%n%n%s  files         %s%n"
                .formatted(load.name(), summary + recorded.text(), recording.out()));
      }
    }
    return ExitCode.OK;
  }

  private Workload open(Load load) throws IOException {
    try {
      return load.open();
    } catch (IllegalArgumentException e) {
      throw load.isMade() ? messages.wrong(e.getMessage()) : e;
    }
  }
}
