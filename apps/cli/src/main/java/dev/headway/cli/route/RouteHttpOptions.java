package dev.headway.cli.route;

import dev.headway.cli.command.KeyRules;
import dev.headway.http.ApiKeys;
import dev.headway.router.proxy.ClientRules;
import dev.headway.router.proxy.ProxyOptions;
import dev.headway.router.resilience.RetryOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The HTTP side of {@code headway route}. */
final class RouteHttpOptions {

  private static final int MIB = 1 << 20;
  private static final ClientRules USUAL = ClientRules.ofHeap(Runtime.getRuntime().maxMemory());

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
          "Clients must send it: Authorization: Bearer KEY; several with commas between. It is passed"
              + " on to the workers. Better given as HEADWAY_API_KEY, which no list of processes"
              + " shows.")
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
      names = "--allowed-host",
      paramLabel = "NAME",
      description =
          "Answer requests under this name in the Host header; repeat it. Addresses and localhost"
              + " are always answered (any name, or none but these on the loopback address).")
  List<String> allowedHosts = new ArrayList<>();

  @Option(
      names = "--max-connections",
      paramLabel = "N",
      description = "Connections of clients open at once (${DEFAULT-VALUE}).")
  int maxConnections = USUAL.connections().maxConnections();

  @Option(
      names = "--max-connections-per-address",
      paramLabel = "N",
      description = "Of these from one address (half of them).")
  @Nullable Integer maxConnectionsPerAddress;

  @Option(
      names = "--max-body-mib",
      paramLabel = "N",
      description = "Longest body of a request (${DEFAULT-VALUE}).")
  int maxBodyMib = USUAL.maxBodyBytes() / MIB;

  @Option(
      names = "--max-body-memory-mib",
      paramLabel = "N",
      description =
          "Memory for all bodies that are being read or may have to be sent again, at least twice"
              + " the longest (a quarter of the heap).")
  @Nullable Integer maxBodyMemoryMib;

  @Option(
      names = "--head-timeout",
      paramLabel = "SECONDS",
      description =
          "How long the head of a request may take, and a pause in its body (${DEFAULT-VALUE}).")
  int headTimeoutSeconds = 10;

  @Option(
      names = "--body-timeout",
      paramLabel = "SECONDS",
      description = "How long the body of a request may take (${DEFAULT-VALUE}).")
  int bodyTimeoutSeconds = 60;

  @Option(
      names = "--write-timeout",
      paramLabel = "SECONDS",
      description = "A client that takes nothing for so long is cut off (${DEFAULT-VALUE}).")
  int writeTimeoutSeconds = 30;

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
        address.getAddress(), KeyRules.keys("--api-key", apiKey), allowAnonymous);
    return address;
  }

  /**
   * How requests are passed on.
   *
   * @throws IllegalArgumentException naming the option that is out of range
   */
  ProxyOptions proxy(RetryOptions retry) {
    Ranges.require("--request-timeout", requestTimeoutSeconds, 1, 1 << 20);
    Ranges.require("--connect-timeout", connectTimeoutSeconds, 1, 3_600);
    return new ProxyOptions(
        retry,
        Duration.ofSeconds(requestTimeoutSeconds),
        Duration.ofSeconds(connectTimeoutSeconds),
        clients(),
        KeyRules.given("--worker-key", workerKey));
  }

  private ClientRules clients() {
    Ranges.require("--max-body-mib", maxBodyMib, 1, 1_023);
    Ranges.require("--max-connections", maxConnections, 1, 1 << 20);
    Ranges.require("--head-timeout", headTimeoutSeconds, 1, 3_600);
    Ranges.require("--body-timeout", bodyTimeoutSeconds, 1, 3_600);
    Ranges.require("--write-timeout", writeTimeoutSeconds, 1, 3_600);
    final int ofAddress =
        maxConnectionsPerAddress == null
            ? Math.max(1, maxConnections / 2)
            : maxConnectionsPerAddress;
    Ranges.require("--max-connections-per-address", ofAddress, 1, maxConnections);
    final ClientRules rules =
        USUAL
            .withKeys(KeyRules.keys("--api-key", apiKey))
            .withHosts(allowedHosts)
            .withConnections(
                USUAL
                    .connections()
                    .withConnections(maxConnections, ofAddress)
                    .withReadTimeouts(
                        Duration.ofSeconds(headTimeoutSeconds),
                        Duration.ofSeconds(bodyTimeoutSeconds))
                    .withWriteTimeout(Duration.ofSeconds(writeTimeoutSeconds)));
    if (maxBodyMemoryMib == null) {
      return rules.withBodyBytes(maxBodyMib * MIB);
    }
    Ranges.require("--max-body-memory-mib", maxBodyMemoryMib, 2 * maxBodyMib, 1 << 20);
    return rules.withBodies(maxBodyMib * MIB, (long) maxBodyMemoryMib * MIB);
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
