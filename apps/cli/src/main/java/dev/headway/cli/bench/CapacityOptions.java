package dev.headway.cli.bench;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.Needs;
import dev.headway.loadgen.metrics.BenchMetrics;
import dev.headway.loadgen.result.RunReport;
import dev.headway.loadgen.run.RunResult;
import dev.headway.simulation.sweep.CapacitySearch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The search for the largest rate that a server carries. */
final class CapacityOptions {

  @Needs("--goodput")
  @Option(
      names = "--find-capacity",
      paramLabel = "MIN:MAX",
      description =
          "Look for the largest rate between the two at which enough requests keep to each limit of"
              + " --goodput, by bisection.")
  private @Nullable String range;

  @Needs("--find-capacity")
  @InRange(from = 0, to = 1, above = true)
  @Option(
      names = "--capacity-share",
      paramLabel = "SHARE",
      description = "How many of all requests keep to each limit then (${DEFAULT-VALUE}).")
  private double share = 0.99;

  @Needs("--find-capacity")
  @InRange(from = 0, above = true)
  @Option(
      names = "--capacity-tolerance",
      paramLabel = "SHARE",
      description = "The search ends when the two rates differ by no more (${DEFAULT-VALUE}).")
  private double tolerance = 0.05;

  boolean isGiven() {
    return range != null;
  }

  CapacitySearch search(CommandMessages messages) {
    final String[] ends = String.valueOf(range).split(":", -1);
    try {
      return new CapacitySearch(
          "request-rate",
          Double.parseDouble(ends[0]),
          Double.parseDouble(ends[ends.length - 1]),
          tolerance);
    } catch (NumberFormatException e) {
      throw messages.wrong("--find-capacity must be like 1:200: --find-capacity=" + range);
    } catch (IllegalArgumentException e) {
      throw messages.wrong("--find-capacity: " + e.getMessage());
    }
  }

  /** Whether a run met the limits; one that was over-saturated did not. */
  boolean isMet(RunReport report) {
    final BenchMetrics metrics = report.metrics();
    return report.run().end() == RunResult.End.COMPLETE
        && metrics.requests() > 0
        && metrics.met().stream().allMatch(met -> met >= share * metrics.requests() - 1e-9);
  }
}
