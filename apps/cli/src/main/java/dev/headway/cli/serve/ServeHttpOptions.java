package dev.headway.cli.serve;

import dev.headway.cli.command.KeyRules;
import dev.headway.http.ApiKeys;
import dev.headway.http.ConnectionLimits;
import dev.headway.server.Access;
import dev.headway.server.Access.PrefixSharing;
import dev.headway.server.Cors;
import dev.headway.server.RequestLimits;
import dev.headway.server.ServerOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The HTTP side of {@code headway serve}. */
final class ServeHttpOptions {

  private static final int MIB = 1 << 20;
  private static final Pattern ORIGIN = Pattern.compile("[a-z][a-z0-9+.-]*://[^/?#@,\\s\\p{Lu}]+");

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description =
          "Where to listen; others reach the server only if this says so (${DEFAULT-VALUE}).")
  String host = "127.0.0.1";

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "0 takes any that is free (${DEFAULT-VALUE}).")
  int port = 8_000;

  @Option(
      names = "--api-key",
      paramLabel = "KEY",
      defaultValue = "${env:HEADWAY_API_KEY}",
      description =
          "Clients must send it: Authorization: Bearer KEY; several with commas between. TENANT:KEY"
              + " names the tenant of its requests (key-1, key-2 by its place). Better given as"
              + " HEADWAY_API_KEY, which no list of processes shows.")
  @Nullable String apiKey;

  @Option(
      names = "--share-prefix-cache",
      description =
          "Let requests of different keys share cached prefixes, and so tell by their times what"
              + " others have sent (each key on its own).")
  private boolean sharePrefixCache;

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
      description = "Connections open at once (${DEFAULT-VALUE}).")
  int maxConnections = ConnectionLimits.DEFAULT.maxConnections();

  @Option(
      names = "--max-connections-per-address",
      paramLabel = "N",
      description = "Of these from one address (half of them).")
  @Nullable Integer maxConnectionsPerAddress;

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
  int bodyTimeoutSeconds = 30;

  @Option(
      names = "--request-timeout",
      paramLabel = "SECONDS",
      description =
          "A request whose last token is not there by then is ended, 0 for no end"
              + " (${DEFAULT-VALUE}).")
  int requestTimeoutSeconds = 600;

  @Option(
      names = "--allow-anonymous",
      description = "Serve every client that can reach the port, without --api-key.")
  private boolean allowAnonymous;

  @Option(
      names = "--cors",
      paramLabel = "ORIGIN",
      description =
          "Pages of this origin, as in http://localhost:3000, may call the server from a browser;"
              + " repeat it, or * for any (none).")
  List<String> cors = new ArrayList<>();

  @Option(
      names = "--max-body-mib",
      paramLabel = "N",
      description = "Longest body of a request (${DEFAULT-VALUE}).")
  int maxBodyMib = 8;

  @Option(
      names = "--max-body-memory-mib",
      paramLabel = "N",
      description =
          "Memory for all bodies that are being read, at least twice the longest (an eighth of the"
              + " heap).")
  @Nullable Integer maxBodyMemoryMib;

  @Option(
      names = "--max-messages",
      paramLabel = "N",
      description = "Messages of a chat (${DEFAULT-VALUE}).")
  int maxMessages = 1_024;

  @Option(
      names = "--max-stop-token-ids",
      paramLabel = "N",
      description = "Distinct stop tokens of a request (${DEFAULT-VALUE}).")
  int maxStopTokenIds = 256;

  @Option(
      names = "--max-output-tokens",
      paramLabel = "N",
      description =
          "Tokens of all answers to one request; one answer may always fill the context"
              + " (${DEFAULT-VALUE}).")
  int maxOutputTokens = 131_072;

  @Option(
      names = "--max-unread-tokens",
      paramLabel = "N",
      description =
          "Tokens that may wait for a client that takes nothing; more end its request"
              + " (${DEFAULT-VALUE}).")
  int maxUnreadTokens = 4_096;

  @Option(
      names = "--stall-threshold",
      paramLabel = "SECONDS",
      description =
          "Without progress for so long, /health and /ready are 503. Longer than the longest step"
              + " (${DEFAULT-VALUE}).")
  int stallSeconds = 300;

  @Option(
      names = "--write-timeout",
      paramLabel = "SECONDS",
      description = "A client that takes nothing for so long is cut off (${DEFAULT-VALUE}).")
  int writeTimeoutSeconds = 30;

  @Option(
      names = "--drain-timeout",
      paramLabel = "SECONDS",
      description = "How long requests under way may take at the end (${DEFAULT-VALUE}).")
  int drainTimeoutSeconds = 30;

  /**
   * The options.
   *
   * @throws IllegalArgumentException naming the option that is out of range
   */
  ServerOptions options() {
    require("--port", port, 0, 65_535);
    require("--max-body-mib", maxBodyMib, 1, 1_023);
    require("--max-unread-tokens", maxUnreadTokens, 1, 1 << 20);
    require("--write-timeout", writeTimeoutSeconds, 1, 3_600);
    require("--drain-timeout", drainTimeoutSeconds, 0, 3_600);
    require("--max-connections", maxConnections, 1, 1 << 20);
    require("--head-timeout", headTimeoutSeconds, 1, 3_600);
    require("--body-timeout", bodyTimeoutSeconds, 1, 3_600);
    require("--request-timeout", requestTimeoutSeconds, 0, 1_000_000);
    require("--max-messages", maxMessages, 1, 1 << 20);
    require("--max-stop-token-ids", maxStopTokenIds, 0, 1 << 20);
    require("--max-output-tokens", maxOutputTokens, 1, 1 << 30);
    cors.forEach(ServeHttpOptions::requireOrigin);
    final InetSocketAddress address = new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      throw new IllegalArgumentException(
          "--host must be an address of this machine: --host=" + host);
    }
    final ApiKeys keys = KeyRules.keys("--api-key", apiKey);
    KeyRules.requireKeyForOthers(address.getAddress(), keys, allowAnonymous);
    return ServerOptions.loopback(port)
        .withAddress(address)
        .withAccess(access(keys))
        .withConnections(connections())
        .withLimits(limits());
  }

  private Access access(ApiKeys keys) {
    return Access.OPEN
        .withCors(new Cors(cors))
        .withHosts(allowedHosts)
        .withKeys(keys)
        .withPrefixSharing(
            sharePrefixCache ? PrefixSharing.BETWEEN_KEYS : PrefixSharing.WITHIN_KEY);
  }

  private ConnectionLimits connections() {
    final int ofAddress =
        maxConnectionsPerAddress == null
            ? Math.max(1, maxConnections / 2)
            : maxConnectionsPerAddress;
    require("--max-connections-per-address", ofAddress, 1, maxConnections);
    return ConnectionLimits.DEFAULT
        .withConnections(maxConnections, ofAddress)
        .withReadTimeouts(
            Duration.ofSeconds(headTimeoutSeconds), Duration.ofSeconds(bodyTimeoutSeconds))
        .withWriteTimeout(Duration.ofSeconds(writeTimeoutSeconds));
  }

  private RequestLimits limits() {
    final RequestLimits usual = RequestLimits.ofHeap(Runtime.getRuntime().maxMemory());
    final int bodyBytes = maxBodyMib * MIB;
    if (maxBodyMemoryMib != null) {
      require("--max-body-memory-mib", maxBodyMemoryMib, 2 * maxBodyMib, 1 << 20);
    }
    final RequestLimits bodies =
        maxBodyMemoryMib == null
            ? usual.withBodyBytes(bodyBytes)
            : usual.withBodies(bodyBytes, (long) maxBodyMemoryMib * MIB);
    return bodies
        .withNumbers(maxMessages, maxStopTokenIds, maxOutputTokens)
        .withUnreadTokens(maxUnreadTokens)
        .withTimeout(requestTimeoutSeconds == 0 ? null : Duration.ofSeconds(requestTimeoutSeconds));
  }

  private static void requireOrigin(String origin) {
    if (!origin.equals("*") && !ORIGIN.matcher(origin).matches()) {
      throw new IllegalArgumentException(
          "--cors must be * or an origin as browsers send it, a scheme and a host in small letters"
              + " and no path: --cors="
              + origin);
    }
  }

  private static void require(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          option + " must be in [" + least + ", " + most + "]: " + option + "=" + value);
    }
  }
}
