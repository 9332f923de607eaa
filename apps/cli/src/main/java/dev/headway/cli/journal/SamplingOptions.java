package dev.headway.cli.journal;

import dev.headway.cli.command.InRange;
import dev.headway.probes.otel.span.Sampling;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;

/** Options of a command line that make a {@link Sampling}. */
final class SamplingOptions {

  @InRange(from = 0, to = 1)
  @Option(
      names = "--journey-rate",
      paramLabel = "RATE",
      defaultValue = "1",
      description = "Share of requests, 0 to 1 (${DEFAULT-VALUE}).")
  private double journeyRate;

  @InRange(from = 0, to = 1)
  @Option(
      names = "--step-rate",
      paramLabel = "RATE",
      defaultValue = "0.01",
      description = "Share of steps, 0 to 1 (${DEFAULT-VALUE}).")
  private double stepRate;

  @InRange(from = 0, to = 1)
  @Option(
      names = "--rich-rate",
      paramLabel = "RATE",
      defaultValue = "0.001",
      description = "Share of those with every running request, 0 to 1 (${DEFAULT-VALUE}).")
  private double richRate;

  @InRange(from = 0)
  @Option(
      names = "--first-steps",
      paramLabel = "N",
      defaultValue = "0",
      description = "Steps of a run's beginning, whatever the rate (${DEFAULT-VALUE}).")
  private int firstSteps;

  @Option(
      names = "--request",
      paramLabel = "ID",
      description = "A request to export, whatever the rate; repeat it.")
  private List<String> requestIds = List.of();

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "0",
      description = "Another seed, another choice (${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--no-tail",
      description =
          "Do not export requests for being preempted, failing or missing their TTFT target.")
  private boolean noTail;

  @SuppressWarnings("NullAway.Init") // picocli fills the fields
  SamplingOptions() {}

  /** Returns what was asked for; throws an IllegalArgumentException that names what is wrong. */
  Sampling sampling() {
    final Sampling sampling =
        Sampling.defaults()
            .withRates(journeyRate, stepRate, richRate)
            .withFirstSteps(firstSteps)
            .withSeed(seed)
            .withRequestIds(Set.copyOf(requestIds));
    return noTail ? sampling.withTail(Set.of()) : sampling;
  }
}
