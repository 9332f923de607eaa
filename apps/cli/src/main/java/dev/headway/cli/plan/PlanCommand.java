package dev.headway.cli.plan;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.OutputParent;
import dev.headway.cli.command.OverwriteOption;
import dev.headway.cli.command.ProgressDisplay;
import dev.headway.cli.command.QuietOption;
import dev.headway.cli.load.RecordedSettings;
import dev.headway.cli.simulate.LoadOptions;
import dev.headway.simulation.compare.Load;
import dev.headway.simulation.plan.LatencyLimits;
import dev.headway.simulation.plan.MachinePlan;
import dev.headway.simulation.plan.PlanCandidate;
import dev.headway.simulation.plan.PlanLoad;
import dev.headway.simulation.plan.PlannedMachine;
import dev.headway.simulation.workload.RequestExtra;
import dev.headway.simulation.workload.Workload;
import dev.headway.toolbox.output.OutputFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headway plan}: the cheapest configuration that keeps to limits under a load. */
@Command(
    name = "plan",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    header = "Finds the cheapest devices and settings that keep to limits under a load.",
    description = {
      "",
      "Looks at every combination of the values given below: the largest rate that each sustains"
          + " within the limits, what limits it, and what a million output tokens cost. One instance"
          + " of each kind is tried with a short part of the load first; those that may be the"
          + " cheapest, and the frontier of cost and rate, are then simulated with all of it.",
      "",
      "A configuration whose weights do not fit is left out, in words. Prices are yours; without"
          + " them costs are device-hours.",
      ""
    },
    optionListHeading = "%nLoad and limits:%n",
    exitCodeList = {
      "0:A configuration keeps to the limits at the wanted rate.",
      "1:The plan failed.",
      "2:The command line is wrong.",
      "4:No configuration keeps to the limits: the nearest is printed."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway plan 'chatbot(rate=20)' --model 8B --gpu h100-sxm,l40s \\",
      "      --price h100-sxm=2.49,l40s=0.86",
      "  headway plan trace.csv --request-rate 50 --slo-ttft 500 --slo-tpot 30 \\",
      "      --model 8B -tp 1,2,4" + " --instances 1,2,4 --html plan.html -o plan.csv"
    })
public final class PlanCommand implements Callable<Integer> {

  private static final int MOST_THREADS = 1_024;

  @Mixin private CommandMessages messages;

  @Mixin private LoadOptions loading;

  @Mixin private ServiceOptions service;

  @Option(
      names = "--exhaustive",
      description = "Simulate every configuration in full, not only those that may be the best.")
  private boolean exhaustive;

  @InRange(from = 1, to = MOST_THREADS)
  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Configurations simulated at the same time (as many as there are processors).")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(
      names = {"-o", "--out", "--output"},
      paramLabel = "FILE",
      description = "CSV file to make, a row for each configuration (none).")
  private @Nullable Path output;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Page to make: cost against rate and latency, and all configurations.")
  private @Nullable Path page;

  @Mixin private OverwriteOption overwrite;
  @Mixin private QuietOption quiet;

  @ArgGroup(validate = false, heading = "%nModel:%n")
  private PlanModel model = new PlanModel();

  @ArgGroup(validate = false, heading = "%nConfigurations, all combinations of the values:%n")
  private PlanAxes axes = new PlanAxes();

  @Option(
      names = "--price",
      paramLabel = "GPU=PRICE",
      split = ",",
      description = "What a device costs for an hour (none).")
  private Map<String, Double> prices = Map.of();

  @Override
  public Integer call() throws IOException {
    final LatencyLimits limits = service.limits();
    final PlanGrid grid = PlanGrid.of(model, axes, prices, messages);
    final PlanLoad load = read(loading.load(messages));
    final double wanted = service.rate(load.ratePerSecond());
    try (OutputFile csv = prepare(output);
        OutputFile html = prepare(page)) {
      final PlanReport report =
          new PlanReport(grid, load, limits, wanted, run(grid, load, limits, wanted));
      publish(csv, PlanCsv.of(report));
      publish(html, PlanPage.render(report));
      if (!quiet.isSet()) {
        messages.print(PlanText.of(report) + files());
      }
      return report.cheapest().isPresent() ? ExitCode.OK : ExitCode.RULE_FAILED;
    }
  }

  private PlanLoad read(Load load) throws IOException {
    if (!load.isMade() && !RecordedSettings.of(load.source()).options().isEmpty()) {
      messages.say("the settings of the journal are not taken over: a plan has its own");
    }
    try (Workload workload = load.openWithout(Set.of(RequestExtra.ABORT))) {
      return PlanLoad.read(workload);
    } catch (IllegalArgumentException e) {
      throw messages.wrong(e.getMessage());
    }
  }

  private List<PlannedMachine> run(
      PlanGrid grid, PlanLoad load, LatencyLimits limits, double wanted) throws IOException {
    final List<PlanCandidate> candidates = grid.candidates();
    try (ProgressDisplay progress = quiet.progress("plan", -1, " simulated")) {
      final MachinePlan plan = new MachinePlan(load, limits, wanted, threads, progress::to);
      return exhaustive ? plan.runAll(candidates) : plan.run(candidates);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private @Nullable OutputFile prepare(@Nullable Path path) throws IOException {
    if (path == null) {
      return null;
    }
    OutputParent.prepare(path);
    return OutputFile.prepare(path, overwrite.mode());
  }

  private static void publish(@Nullable OutputFile file, String content) throws IOException {
    if (file != null) {
      Files.write(file.scratch(), content.getBytes(StandardCharsets.UTF_8));
      file.publish();
    }
  }

  private String files() {
    final StringBuilder files = new StringBuilder();
    for (Path path : new Path[] {output, page}) {
      if (path != null) {
        files.append("  %-12s%s%n".formatted("file", path));
      }
    }
    return files.toString();
  }
}
