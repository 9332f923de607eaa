package dev.headway.cli.serve;

import dev.headway.cli.command.KeyRules;
import dev.headway.server.Cors;
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
          "Clients must send it: Authorization: Bearer KEY. Better given as HEADWAY_API_KEY, which"
              + " no list of processes shows.")
  @Nullable String apiKey;

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
      names = "--max-unread-tokens",
      paramLabel = "N",
      description = "Tokens that may wait for a client; more end its request (${DEFAULT-VALUE}).")
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
    require("--max-body-mib", maxBodyMib, 1, 1_024);
    require("--max-unread-tokens", maxUnreadTokens, 1, 1 << 20);
    require("--write-timeout", writeTimeoutSeconds, 1, 3_600);
    require("--drain-timeout", drainTimeoutSeconds, 0, 3_600);
    cors.forEach(ServeHttpOptions::requireOrigin);
    final InetSocketAddress address = new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      throw new IllegalArgumentException(
          "--host must be an address of this machine: --host=" + host);
    }
    final String key = KeyRules.given("--api-key", apiKey);
    KeyRules.requireKeyForOthers(address.getAddress(), key, allowAnonymous);
    return ServerOptions.loopback(port)
        .withAddress(address)
        .withCors(new Cors(cors))
        .withApiKey(key)
        .withLimits(maxBodyMib * MIB, maxUnreadTokens, Duration.ofSeconds(writeTimeoutSeconds));
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
