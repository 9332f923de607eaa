package dev.headway.cli.plan;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.Excludes;
import dev.headway.simulation.plan.LatencyLimits;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What is to be sustained, on the command line. */
final class ServiceOptions {

  @Excludes("--rate-scale")
  @Option(
      names = "--request-rate",
      paramLabel = "RATE",
      description = "Requests per second that are wanted (the load's own rate).")
  private @Nullable Double requestRate;

  @Option(
      names = "--slo-ttft",
      paramLabel = "MS",
      description = "Longest time to the first token (${DEFAULT-VALUE}).")
  private double sloTtftMs = 2_000;

  @Option(
      names = {"--slo-tpot", "--slo-itl"},
      paramLabel = "MS",
      description = "Longest mean time per further token (${DEFAULT-VALUE}).")
  private double sloTpotMs = 50;

  @Option(
      names = "--slo-e2e",
      paramLabel = "MS",
      description = "Longest time from arrival to the end (no limit).")
  private @Nullable Double sloE2eMs;

  @Option(
      names = "--slo-percentile",
      paramLabel = "P",
      description = "Percentile of the requests that each limit holds for (${DEFAULT-VALUE}).")
  private double percentile = 99;

  /** The limits, checked. */
  LatencyLimits limits(CommandMessages messages) {
    if (!(percentile >= 1 && percentile <= 100)) {
      throw messages.wrong("--slo-percentile must be in [1, 100]: --slo-percentile=" + percentile);
    }
    return new LatencyLimits(
        nanos(messages, "--slo-ttft", sloTtftMs),
        nanos(messages, "--slo-tpot", sloTpotMs),
        sloE2eMs == null ? LatencyLimits.NONE : nanos(messages, "--slo-e2e", sloE2eMs),
        percentile);
  }

  /** The wanted rate, checked. */
  double rate(double ofTheLoad, CommandMessages messages) {
    if (requestRate != null && !(requestRate > 0 && requestRate <= 1e9)) {
      throw messages.wrong(
          "--request-rate must be above 0 and at most 1e9: --request-rate=" + requestRate);
    }
    return requestRate == null ? ofTheLoad : requestRate;
  }

  private static long nanos(CommandMessages messages, String option, double millis) {
    if (!(millis >= 0.001 && millis <= 1e9)) {
      throw messages.wrong(option + " must be in [0.001, 1e9]: " + option + "=" + millis);
    }
    return Math.round(millis * 1e6);
  }
}
