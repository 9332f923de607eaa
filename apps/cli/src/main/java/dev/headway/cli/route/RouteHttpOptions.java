package dev.headway.cli.route;

import dev.headway.cli.command.KeyRules;
import dev.headway.router.proxy.ProxyOptions;
import dev.headway.router.resilience.RetryOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The HTTP side of {@code headway route}. */
final class RouteHttpOptions {

  private static final int MIB = 1 << 20;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description =
          "Where to listen; others reach the router only if this says so (${DEFAULT-VALUE}).")
  String host = "127.0.0.1";

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "0 takes any that is free (${DEFAULT-VALUE}).")
  int port = 8_080;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Event loops; each carries thousands of streams (all processors, 4 at most).")
  int threads = Math.min(4, Runtime.getRuntime().availableProcessors());

  @Option(
      names = "--api-key",
      paramLabel = "KEY",
      defaultValue = "${env:HEADWAY_API_KEY}",
      description =
          "Clients must send it: Authorization: Bearer KEY. It is passed on to the workers. Better"
              + " given as HEADWAY_API_KEY, which no list of processes shows.")
  @Nullable String apiKey;

  @Option(
      names = "--allow-anonymous",
      description = "Serve every client that can reach the port, without --api-key.")
  private boolean allowAnonymous;

  @Option(
      names = "--worker-key",
      paramLabel = "KEY",
      defaultValue = "${env:HEADWAY_WORKER_KEY}",
      description =
          "Sent to workers instead of what clients send; or HEADWAY_WORKER_KEY (--api-key).")
  @Nullable String workerKey;

  @Option(
      names = "--control-key",
      paramLabel = "KEY",
      defaultValue = "${env:HEADWAY_CONTROL_KEY}",
      description =
          "Requests with this key may add and remove workers under /workers; or HEADWAY_CONTROL_KEY"
              + " (none: workers are fixed).")
  @Nullable String controlKey;

  @Option(
      names = "--max-body-mib",
      paramLabel = "N",
      description = "Longest body of a request (${DEFAULT-VALUE}).")
  int maxBodyMib = 64;

  @Option(
      names = "--request-timeout",
      paramLabel = "SECONDS",
      description = "Longest time from a request to the end of its answer (${DEFAULT-VALUE}).")
  int requestTimeoutSeconds = 1_800;

  @Option(
      names = "--connect-timeout",
      paramLabel = "SECONDS",
      description = "Longest time to connect to a worker (${DEFAULT-VALUE}).")
  int connectTimeoutSeconds = 5;

  @Option(
      names = "--client-timeout",
      paramLabel = "SECONDS",
      description =
          "A client that sends no whole request, or takes nothing, for so long is cut off"
              + " (${DEFAULT-VALUE}).")
  int clientTimeoutSeconds = 60;

  @Option(
      names = "--drain-timeout",
      paramLabel = "SECONDS",
      description = "How long requests under way may take at the end (${DEFAULT-VALUE}).")
  int drainTimeoutSeconds = 180;

  /**
   * Where to listen.
   *
   * @throws IllegalArgumentException naming the option that is out of range
   */
  InetSocketAddress address() {
    Ranges.require("--port", port, 0, 65_535);
    Ranges.require("--threads", threads, 1, 256);
    Ranges.require("--drain-timeout", drainTimeoutSeconds, 0, 86_400);
    final InetSocketAddress address = new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      throw new IllegalArgumentException(
          "--host must be an address of this machine: --host=" + host);
    }
    KeyRules.requireKeyForOthers(
        address.getAddress(), KeyRules.given("--api-key", apiKey), allowAnonymous);
    return address;
  }

  /**
   * How requests are passed on.
   *
   * @throws IllegalArgumentException naming the option that is out of range
   */
  ProxyOptions proxy(RetryOptions retry) {
    Ranges.require("--max-body-mib", maxBodyMib, 1, 1_024);
    Ranges.require("--request-timeout", requestTimeoutSeconds, 1, 1 << 20);
    Ranges.require("--connect-timeout", connectTimeoutSeconds, 1, 3_600);
    Ranges.require("--client-timeout", clientTimeoutSeconds, 1, 86_400);
    return new ProxyOptions(
        retry,
        Duration.ofSeconds(requestTimeoutSeconds),
        Duration.ofSeconds(connectTimeoutSeconds),
        Duration.ofSeconds(clientTimeoutSeconds),
        maxBodyMib * MIB,
        KeyRules.given("--api-key", apiKey),
        KeyRules.given("--worker-key", workerKey));
  }

  /** What health checks send. */
  @Nullable String checkKey() {
    return KeyRules.given("--worker-key", workerKey) == null
        ? KeyRules.given("--api-key", apiKey)
        : workerKey;
  }

  @Nullable String controlKey() {
    return KeyRules.given("--control-key", controlKey);
  }
}
