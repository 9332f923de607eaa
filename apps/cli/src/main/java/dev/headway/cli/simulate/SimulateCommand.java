package dev.headway.cli.simulate;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.QuietOption;
import dev.headway.events.record.JournalLevel;
import dev.headway.simulation.compare.Load;
import dev.headway.simulation.fleet.FleetSettings;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.workload.RequestExtra;
import dev.headway.simulation.workload.Workload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headway simulate}: how a server would do under a load, without recording each step. */
@Command(
    name = "simulate",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    header = "Simulates a server under a load: latencies of every request, in seconds.",
    description = {
      "",
      "The scheduler is the real one, in virtual time; steps take what --step-model or --model with"
          + " --gpu or --kernels say. Leaves requests.csv, in the form that a load generator"
          + " measures, and summary.json. headway replay is the same with a journal of every"
          + " decision.",
      "",
      "With --instances there are several of them behind a router, and router_decisions.csv has a row"
          + " for each decision and instance; so are the ranks of one server with"
          + " --data-parallel-size.",
      ""
    },
    optionListHeading = "%nLoad:%n",
    exitCodeList = {
      "0:The whole load was simulated; requests that the engine refused are in the summary.",
      "1:The run failed: DIR is not touched.",
      "2:The command line is wrong."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway simulate trace.csv.gz --model Llama-3.1-8B --gpu h100-sxm",
      "  headway simulate 'synthetic(rate=12,requests=10000)' --step-model model.json \\",
      "      --model 8B",
      "  headway simulate 'chatbot(rate=60)' --instances 4 --router cache-aware",
      "  headway calibrate measured.csv out/simulate"
    })
public final class SimulateCommand implements Callable<Integer> {

  @Mixin private CommandMessages messages;

  @Mixin private LoadOptions loading;
  @Mixin private QuietOption quiet;

  @ArgGroup(validate = false, heading = "%nOutput:%n")
  private Outputs recording = new Outputs();

  @ArgGroup(validate = false, heading = "%nEngine:%n")
  private EngineOptions engine = new EngineOptions();

  @Mixin private PolicyOption policy;

  @Option(
      names = "--router",
      paramLabel = "SPEC",
      description =
          "What chooses the instance of a request: random, round-robin, power-of-two, least-load,"
              + " cache-aware, kv-cost, precise-prefix, predicted-latency, prefix-hash,"
              + " consistent-hashing, sticky, bucket, with options as in"
              + " 'cache-aware(threshold=0.3)', or one of your own (least-load).")
  private @Nullable String router;

  @Mixin private FleetOptions fleet;

  /** The requests and the summary, unless more is asked for. */
  static final class Outputs extends RecordingOptions {
    Outputs() {
      super(Path.of("out", "simulate"), JournalLevel.OFF);
    }
  }

  @Override
  public Integer call() throws IOException {
    final Load load = loading.load(messages);
    final RecordedDefaults recorded = RecordedDefaults.of(load, messages);
    final EngineOptions chosen = recorded.engine(engine);
    final EngineSettings settings =
        chosen.settingsOfRank(recorded.policies(policy.given()), messages);
    final boolean isRouted = fleet.isAsked() || router != null || chosen.ranks() > 1;
    try (Workload workload =
        isRouted ? load.openWithout(Set.of(RequestExtra.ABORT)) : load.open()) {
      final String summary =
          isRouted ? routed(settings, chosen, workload) : single(settings, load, workload);
      if (!quiet.isSet()) {
        messages.print(
            "%n  %s%n%n%s  files         %s%n"
                .formatted(load.name(), summary + recorded.text(), recording.out()));
      }
    } catch (IllegalArgumentException e) {
      if (load.isMade()) {
        throw messages.wrong(e.getMessage());
      }
      throw e;
    }
    return ExitCode.OK;
  }

  private String single(EngineSettings settings, Load load, Workload workload) throws IOException {
    return new Simulation(settings, recording, quiet)
        .run(workload, load.name(), workload.sizeHint().orElse(-1));
  }

  private String routed(EngineSettings settings, EngineOptions chosen, Workload workload)
      throws IOException {
    if (recording.level() != JournalLevel.OFF) {
      throw messages.wrong(
          "--journal-level must be off with --instances, --router or --data-parallel-size");
    }
    final String spec = router == null ? "least-load" : router;
    final FleetSettings asked =
        chosen.ranks() == 1
            ? fleet.settings(settings, spec, 1)
            : fleet.ranks(settings, spec, chosen, messages);
    FleetSimulation.requireKnown(asked, messages);
    return FleetSimulation.run(asked, workload, recording.out(), recording.overwrite(), quiet);
  }
}
