package dev.headway.cli.simulate;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ProgressDisplay;
import dev.headway.cli.command.QuietOption;
import dev.headway.routing.core.table.DecisionCsv;
import dev.headway.simulation.compare.Bootstrap;
import dev.headway.simulation.compare.Bootstrap.Interval;
import dev.headway.simulation.compare.FleetFigures;
import dev.headway.simulation.compare.FleetMetric;
import dev.headway.simulation.fleet.FleetResult;
import dev.headway.simulation.fleet.FleetRun;
import dev.headway.simulation.fleet.FleetSettings;
import dev.headway.simulation.workload.Workload;
import dev.headway.toolbox.output.OutputDirectory;
import dev.headway.toolbox.output.OverwriteMode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One run with several instances: its files, and the summary for a person. Stateless. */
final class FleetSimulation {

  private static final int RESAMPLES = 200;
  private static final OutputDirectory.Content CONTENT =
      new OutputDirectory.Content(
          "a run", "--out", Set.of(FleetFiles.REQUESTS, FleetFiles.DECISIONS, FleetFiles.SUMMARY));

  private FleetSimulation() {}

  /** Says what is wrong with the router before anything is written. */
  static void requireKnown(FleetSettings settings, CommandMessages messages) {
    try {
      new FleetRun(settings, List.of());
    } catch (IllegalArgumentException e) {
      throw messages.wrong(e.getMessage());
    }
  }

  /** Runs to the end, and leaves either all files or nothing. */
  static String run(
      FleetSettings settings, Workload workload, Path out, OverwriteMode mode, QuietOption quiet)
      throws IOException {
    try (OutputDirectory output = OutputDirectory.prepare(out, mode, CONTENT)) {
      final Path folder = output.directory();
      final FleetResult result = run(settings, workload, folder, quiet);
      FleetFiles.writeRequests(folder.resolve(FleetFiles.REQUESTS), result);
      final Map<FleetMetric, Interval> figures =
          FleetFigures.of(result, new Bootstrap(RESAMPLES, settings.engine().seed()));
      FleetFiles.writeSummary(folder.resolve(FleetFiles.SUMMARY), result, figures);
      output.publish();
      return FleetText.of(result, figures);
    }
  }

  private static FleetResult run(
      FleetSettings settings, Workload workload, Path folder, QuietOption quiet)
      throws IOException {
    try (DecisionCsv decisions =
            new DecisionCsv(
                Files.newBufferedWriter(
                    folder.resolve(FleetFiles.DECISIONS), StandardCharsets.UTF_8));
        ProgressDisplay progress =
            quiet.progress("simulate", workload.sizeHint().orElse(-1), " requests")) {
      return new FleetRun(settings, List.of(decisions)).run(workload, progress::to);
    }
  }
}
