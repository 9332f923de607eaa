package dev.headway.cli.plan;

import dev.headway.cli.command.Excludes;
import dev.headway.cli.command.InRange;
import dev.headway.simulation.plan.LatencyLimits;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What is to be sustained, on the command line. */
final class ServiceOptions {

  @Excludes("--rate-scale")
  @InRange(from = 0, to = 1e9, above = true)
  @Option(
      names = "--request-rate",
      paramLabel = "RATE",
      description = "Requests per second that are wanted (the load's own rate).")
  private @Nullable Double requestRate;

  @InRange(from = 0.001, to = 1e9)
  @Option(
      names = "--slo-ttft",
      paramLabel = "MS",
      description = "Longest time to the first token (${DEFAULT-VALUE}).")
  private double sloTtftMs = 2_000;

  @InRange(from = 0.001, to = 1e9)
  @Option(
      names = {"--slo-tpot", "--slo-itl"},
      paramLabel = "MS",
      description = "Longest mean time per further token (${DEFAULT-VALUE}).")
  private double sloTpotMs = 50;

  @InRange(from = 0.001, to = 1e9)
  @Option(
      names = "--slo-e2e",
      paramLabel = "MS",
      description = "Longest time from arrival to the end (no limit).")
  private @Nullable Double sloE2eMs;

  @InRange(from = 1, to = 100)
  @Option(
      names = "--slo-percentile",
      paramLabel = "P",
      description = "Percentile of the requests that each limit holds for (${DEFAULT-VALUE}).")
  private double percentile = 99;

  /** The latencies to keep, and the percentile of the requests that keep them. */
  LatencyLimits limits() {
    return new LatencyLimits(
        nanos(sloTtftMs),
        nanos(sloTpotMs),
        sloE2eMs == null ? LatencyLimits.NONE : nanos(sloE2eMs),
        percentile);
  }

  /** The wanted rate. */
  double rate(double ofTheLoad) {
    return requestRate == null ? ofTheLoad : requestRate;
  }

  private static long nanos(double millis) {
    return Math.round(millis * 1e6);
  }
}
