package dev.headway.cli.simulate;

import dev.headway.cli.command.InRange;
import dev.headway.simulation.compare.Bootstrap;
import dev.headway.simulation.compare.Measures;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a comparison measures, on the command line. */
final class MeasureOptions {

  @InRange(from = 1)
  @Option(
      names = "--short-prompt",
      paramLabel = "TOKENS",
      description = "Longest prompt that counts as short (the median of the load's).")
  private @Nullable Integer shortPrompt;

  @InRange(from = 0.001, to = 1e12)
  @Option(
      names = "--slo-ttft",
      paramLabel = "MS",
      description =
          "Goodput: longest time to the first token, which requests also carry as their target"
              + " (${DEFAULT-VALUE}).")
  private double sloTtftMs = 2_000;

  @InRange(from = 0.001, to = 1e12)
  @Option(
      names = {"--slo-tpot", "--slo-itl"},
      paramLabel = "MS",
      description = "Goodput: longest mean time per further token (${DEFAULT-VALUE}).")
  private double sloItlMs = 50;

  @InRange(from = 0)
  @Option(
      names = "--resamples",
      paramLabel = "N",
      description = "Bootstrap samples for the 95 %% intervals, 0 for none (${DEFAULT-VALUE}).")
  private int resamples = 1_000;

  @InRange(from = 0.001, to = 1e6)
  @Option(
      names = "--fairness-window",
      paramLabel = "S",
      description = "Seconds over which the service of tenants is compared (${DEFAULT-VALUE}).")
  private double fairnessWindow = 10;

  /** What to measure of a load. */
  Measures measures(int medianPrompt, long seed) {
    return new Measures(
        shortPrompt == null ? medianPrompt : shortPrompt,
        new Measures.Slo((long) (sloTtftMs * 1e6), (long) (sloItlMs * 1e6)),
        new Bootstrap(resamples, seed));
  }

  int resamples() {
    return resamples;
  }

  double fairnessWindowSeconds() {
    return fairnessWindow;
  }

  /** What is short and what is good, for the head of the table. */
  String text(Measures measures) {
    return "short: up to %,d prompt tokens; goodput: TTFT <= %s ms, %s ms per token"
        .formatted(measures.shortPrompt(), plain(sloTtftMs), plain(sloItlMs));
  }

  private static String plain(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }
}
