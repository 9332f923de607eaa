package dev.headway.cli.route;

import dev.headway.cli.command.InRange;
import dev.headway.cli.command.Needs;
import dev.headway.router.admission.AdmissionOptions;
import dev.headway.router.health.HealthOptions;
import dev.headway.router.resilience.BreakerOptions;
import dev.headway.router.resilience.RetryOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What {@code headway route} does when there is too much, or something fails. */
final class ResilienceOptions {

  @InRange(from = 1, to = 100)
  @Option(
      names = "--attempts",
      paramLabel = "N",
      description =
          "Attempts to have a request served, before anything of an answer was passed on"
              + " (${DEFAULT-VALUE}).")
  int attempts = 5;

  @Option(
      names = "--health-path",
      paramLabel = "PATH",
      description = "What workers are asked; any 2xx is well (${DEFAULT-VALUE}).")
  String healthPath = "/health";

  @InRange(from = 0.05, to = 86_400)
  @Option(
      names = "--health-interval",
      paramLabel = "SECONDS",
      description = "Between two checks of a worker (${DEFAULT-VALUE}).")
  double healthIntervalSeconds = 5;

  @InRange(from = 1, to = 1_000)
  @Option(
      names = "--health-failures",
      paramLabel = "N",
      description = "Failed checks in a row that make a worker unhealthy (${DEFAULT-VALUE}).")
  int healthFailures = 3;

  @InRange(from = 0, to = 86_400)
  @Option(
      names = "--load-interval",
      paramLabel = "SECONDS",
      description = "How often workers are asked for their load, 0 never (${DEFAULT-VALUE}).")
  double loadIntervalSeconds = 1;

  @InRange(from = 1, to = 1_000_000)
  @Option(
      names = "--breaker-failures",
      paramLabel = "N",
      description =
          "Failures in a row, within 2 minutes, after which a worker is left alone"
              + " (${DEFAULT-VALUE}).")
  int breakerFailures = 10;

  @InRange(from = 0.05, to = 86_400)
  @Option(
      names = "--breaker-open",
      paramLabel = "SECONDS",
      description = "How long it is left alone (${DEFAULT-VALUE}).")
  double breakerOpenSeconds = 60;

  @InRange(from = 0, to = 1_000_000)
  @Option(
      names = "--max-concurrent",
      paramLabel = "N",
      description = "Most requests under way, 0 for any number (${DEFAULT-VALUE}).")
  int maxConcurrent;

  @Needs("--max-concurrent")
  @InRange(from = 0, to = 1_000_000)
  @Option(
      names = "--waiting-room",
      paramLabel = "N",
      description = "Most requests that wait for others to end (${DEFAULT-VALUE}).")
  int waitingRoom = 100;

  @Needs("--max-concurrent")
  @InRange(from = 1, to = 86_400)
  @Option(
      names = "--wait-timeout",
      paramLabel = "SECONDS",
      description = "How long one may wait there (${DEFAULT-VALUE}).")
  int waitTimeoutSeconds = 60;

  @InRange(from = 0, to = 1e9)
  @Option(
      names = "--rate-limit",
      paramLabel = "PER_SECOND",
      description = "Requests per second in the long run, 0 for any; others get 429 (0).")
  double rateLimit;

  @Needs("--rate-limit")
  @InRange(from = 1, to = 1_000_000_000)
  @Option(
      names = "--rate-burst",
      paramLabel = "N",
      description = "Requests that may come at once within that rate (${DEFAULT-VALUE}).")
  int rateBurst = 1;

  RetryOptions retry() {
    final RetryOptions usual = RetryOptions.DEFAULT;
    return new RetryOptions(
        attempts, usual.first(), usual.factor(), usual.longest(), usual.jitter());
  }

  HealthOptions health(@Nullable String key) {
    if (!healthPath.startsWith("/")) {
      throw new IllegalArgumentException(
          "--health-path must begin with /: --health-path=" + healthPath);
    }
    final HealthOptions usual = HealthOptions.DEFAULT;
    return new HealthOptions(
        healthPath,
        seconds(healthIntervalSeconds),
        usual.timeout(),
        healthFailures,
        usual.successes(),
        seconds(loadIntervalSeconds),
        key);
  }

  BreakerOptions breakers() {
    final BreakerOptions usual = BreakerOptions.DEFAULT;
    return new BreakerOptions(
        breakerFailures,
        usual.window(),
        seconds(breakerOpenSeconds),
        usual.trials(),
        usual.successes());
  }

  AdmissionOptions admission() {
    return new AdmissionOptions(
        maxConcurrent, waitingRoom, Duration.ofSeconds(waitTimeoutSeconds), rateLimit, rateBurst);
  }

  private static Duration seconds(double value) {
    return Duration.ofNanos(Math.round(value * 1e9));
  }
}
