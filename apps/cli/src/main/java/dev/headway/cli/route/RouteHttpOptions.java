package dev.headway.cli.route;

import dev.headway.cli.command.InRange;
import dev.headway.cli.command.KeyRules;
import dev.headway.cli.command.ListenOptions;
import dev.headway.http.ApiKeys;
import dev.headway.router.proxy.ClientRules;
import dev.headway.router.proxy.ProxyOptions;
import dev.headway.router.resilience.RetryOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The HTTP side of {@code headway route}. */
final class RouteHttpOptions extends ListenOptions {

  private static final int MIB = 1 << 20;
  private static final ClientRules USUAL = ClientRules.ofHeap(Runtime.getRuntime().maxMemory());

  @InRange(from = 1, to = 256)
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
          "Clients must send it: Authorization: Bearer KEY; several with commas between. It is passed"
              + " on to the workers. Better given as HEADWAY_API_KEY, which no list of processes"
              + " shows.")
  @Nullable String apiKey;

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

  @InRange(from = 2, to = 1 << 20)
  @Option(
      names = "--max-body-memory-mib",
      paramLabel = "N",
      description =
          "Memory for all bodies that are being read or may have to be sent again, at least twice"
              + " the longest (a quarter of the heap).")
  @Nullable Integer maxBodyMemoryMib;

  @InRange(from = 1, to = 1 << 20)
  @Option(
      names = "--request-timeout",
      paramLabel = "SECONDS",
      description = "Longest time from a request to the end of its answer (${DEFAULT-VALUE}).")
  int requestTimeoutSeconds = 1_800;

  @InRange(from = 1, to = 3_600)
  @Option(
      names = "--connect-timeout",
      paramLabel = "SECONDS",
      description = "Longest time to connect to a worker (${DEFAULT-VALUE}).")
  int connectTimeoutSeconds = 5;

  @InRange(from = 0, to = 86_400)
  @Option(
      names = "--drain-timeout",
      paramLabel = "SECONDS",
      description = "How long requests under way may take at the end (${DEFAULT-VALUE}).")
  int drainTimeoutSeconds = 180;

  RouteHttpOptions() {
    super(8_080, 60, USUAL.maxBodyBytes() / MIB, USUAL.connections());
  }

  /**
   * Where to listen.
   *
   * @throws IllegalArgumentException naming the option that is out of range
   */
  InetSocketAddress address() {
    return listenAt(KeyRules.keys("--api-key", apiKey));
  }

  /**
   * How requests are passed on.
   *
   * @throws IllegalArgumentException naming the option that is out of range
   */
  ProxyOptions proxy(RetryOptions retry) {
    return new ProxyOptions(
        retry,
        Duration.ofSeconds(requestTimeoutSeconds),
        Duration.ofSeconds(connectTimeoutSeconds),
        clients(),
        KeyRules.given("--worker-key", workerKey));
  }

  private ClientRules clients() {
    final ClientRules rules =
        USUAL
            .withKeys(KeyRules.keys("--api-key", apiKey))
            .withHosts(allowedHosts())
            .withCors(cors())
            .withTls(tls())
            .withConnections(connections());
    return maxBodyMemoryMib == null
        ? rules.withBodyBytes(maxBodyBytes())
        : rules.withBodies(maxBodyBytes(), bodyMemoryBytes(maxBodyMemoryMib));
  }

  /** What health checks send: of several keys the first. */
  @Nullable String checkKey() {
    final String ofWorkers = KeyRules.given("--worker-key", workerKey);
    final String ofClients = KeyRules.given("--api-key", apiKey);
    return ofWorkers != null || ofClients == null ? ofWorkers : ofClients.split(",", 2)[0];
  }

  ApiKeys controlKeys() {
    return KeyRules.keys("--control-key", controlKey);
  }
}
