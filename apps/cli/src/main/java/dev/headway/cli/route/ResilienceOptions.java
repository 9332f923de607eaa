package dev.headway.cli.route;

import dev.headway.cli.command.Needs;
import dev.headway.cli.command.Ranges;
import dev.headway.router.admission.AdmissionOptions;
import dev.headway.router.health.HealthOptions;
import dev.headway.router.resilience.BreakerOptions;
import dev.headway.router.resilience.RetryOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What {@code headway route} does when there is too much, or something fails. */
final class ResilienceOptions {

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

  @Option(
      names = "--health-interval",
      paramLabel = "SECONDS",
      description = "Between two checks of a worker (${DEFAULT-VALUE}).")
  double healthIntervalSeconds = 5;

  @Option(
      names = "--health-failures",
      paramLabel = "N",
      description = "Failed checks in a row that make a worker unhealthy (${DEFAULT-VALUE}).")
  int healthFailures = 3;

  @Option(
      names = "--load-interval",
      paramLabel = "SECONDS",
      description = "How often workers are asked for their load, 0 never (${DEFAULT-VALUE}).")
  double loadIntervalSeconds = 1;

  @Option(
      names = "--breaker-failures",
      paramLabel = "N",
      description =
          "Failures in a row, within 2 minutes, after which a worker is left alone"
              + " (${DEFAULT-VALUE}).")
  int breakerFailures = 10;

  @Option(
      names = "--breaker-open",
      paramLabel = "SECONDS",
      description = "How long it is left alone (${DEFAULT-VALUE}).")
  double breakerOpenSeconds = 60;

  @Option(
      names = "--max-concurrent",
      paramLabel = "N",
      description = "Most requests under way, 0 for any number (${DEFAULT-VALUE}).")
  int maxConcurrent;

  @Needs("--max-concurrent")
  @Option(
      names = "--waiting-room",
      paramLabel = "N",
      description = "Most requests that wait for others to end (${DEFAULT-VALUE}).")
  int waitingRoom = 100;

  @Needs("--max-concurrent")
  @Option(
      names = "--wait-timeout",
      paramLabel = "SECONDS",
      description = "How long one may wait there (${DEFAULT-VALUE}).")
  int waitTimeoutSeconds = 60;

  @Option(
      names = "--rate-limit",
      paramLabel = "PER_SECOND",
      description = "Requests per second in the long run, 0 for any; others get 429 (0).")
  double rateLimit;

  @Needs("--rate-limit")
  @Option(
      names = "--rate-burst",
      paramLabel = "N",
      description = "Requests that may come at once within that rate (${DEFAULT-VALUE}).")
  int rateBurst = 1;

  RetryOptions retry() {
    Ranges.require("--attempts", attempts, 1, 100);
    final RetryOptions usual = RetryOptions.DEFAULT;
    return new RetryOptions(
        attempts, usual.first(), usual.factor(), usual.longest(), usual.jitter());
  }

  HealthOptions health(@Nullable String key) {
    Ranges.require("--health-interval", healthIntervalSeconds, 0.05, 86_400);
    Ranges.require("--load-interval", loadIntervalSeconds, 0, 86_400);
    Ranges.require("--health-failures", healthFailures, 1, 1_000);
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
    Ranges.require("--breaker-failures", breakerFailures, 1, 1_000_000);
    Ranges.require("--breaker-open", breakerOpenSeconds, 0.05, 86_400);
    final BreakerOptions usual = BreakerOptions.DEFAULT;
    return new BreakerOptions(
        breakerFailures,
        usual.window(),
        seconds(breakerOpenSeconds),
        usual.trials(),
        usual.successes());
  }

  AdmissionOptions admission() {
    Ranges.require("--max-concurrent", maxConcurrent, 0, 1_000_000);
    Ranges.require("--waiting-room", waitingRoom, 0, 1_000_000);
    Ranges.require("--wait-timeout", waitTimeoutSeconds, 1, 86_400);
    Ranges.require("--rate-limit", rateLimit, 0, 1e9);
    Ranges.require("--rate-burst", rateBurst, 1, 1_000_000_000);
    return new AdmissionOptions(
        maxConcurrent, waitingRoom, Duration.ofSeconds(waitTimeoutSeconds), rateLimit, rateBurst);
  }

  private static Duration seconds(double value) {
    return Duration.ofNanos(Math.round(value * 1e9));
  }
}
