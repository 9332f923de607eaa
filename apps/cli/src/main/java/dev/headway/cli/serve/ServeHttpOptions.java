package dev.headway.cli.serve;

import dev.headway.cli.command.Excludes;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.KeyRules;
import dev.headway.cli.command.ListenOptions;
import dev.headway.cli.command.Needs;
import dev.headway.http.ApiKeys;
import dev.headway.http.ConnectionLimits;
import dev.headway.server.Access;
import dev.headway.server.Access.PrefixSharing;
import dev.headway.server.RequestLimits;
import dev.headway.server.ServerOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The HTTP side of {@code headway serve}. */
final class ServeHttpOptions extends ListenOptions {

  @Option(
      names = "--api-key",
      paramLabel = "KEY",
      defaultValue = "${env:HEADWAY_API_KEY}",
      description =
          "Clients must send it: Authorization: Bearer KEY; several with commas between. TENANT:KEY"
              + " names the tenant of its requests (key-1, key-2 by its place). Better given as"
              + " HEADWAY_API_KEY, which no list of processes shows.")
  @Nullable String apiKey;

  @Needs(value = "--api-key", variable = "HEADWAY_API_KEY")
  @Excludes("--no-prefix-caching")
  @Option(
      names = "--share-prefix-cache",
      description =
          "Let requests of different keys share cached prefixes, and so tell by their times what"
              + " others have sent (each key on its own).")
  private boolean sharePrefixCache;

  @InRange(from = 0, to = 1_000_000)
  @Option(
      names = "--request-timeout",
      paramLabel = "SECONDS",
      description =
          "A request whose last token is not there by then is ended, 0 for no end"
              + " (${DEFAULT-VALUE}).")
  int requestTimeoutSeconds = 600;

  @InRange(from = 2, to = 1 << 20)
  @Option(
      names = "--max-body-memory-mib",
      paramLabel = "N",
      description =
          "Memory for all bodies that are being read, at least twice the longest (an eighth of the"
              + " heap).")
  @Nullable Integer maxBodyMemoryMib;

  @InRange(from = 1, to = 1 << 20)
  @Option(
      names = "--max-messages",
      paramLabel = "N",
      description = "Messages of a chat (${DEFAULT-VALUE}).")
  int maxMessages = 1_024;

  @InRange(from = 0, to = 1 << 20)
  @Option(
      names = "--max-stop-token-ids",
      paramLabel = "N",
      description = "Distinct stop tokens of a request (${DEFAULT-VALUE}).")
  int maxStopTokenIds = 256;

  @InRange(from = 1, to = 1 << 30)
  @Option(
      names = "--max-output-tokens",
      paramLabel = "N",
      description =
          "Tokens of all answers to one request; one answer may always fill the context"
              + " (${DEFAULT-VALUE}).")
  int maxOutputTokens = 131_072;

  @InRange(from = 1, to = 1 << 20)
  @Option(
      names = "--max-unread-tokens",
      paramLabel = "N",
      description =
          "Tokens that may wait for a client that takes nothing; more end its request"
              + " (${DEFAULT-VALUE}).")
  int maxUnreadTokens = 4_096;

  @InRange(from = 1, to = 1 << 20)
  @Option(
      names = "--stream-interval",
      paramLabel = "N",
      description =
          "Tokens in a part of a stream, where the field stream_interval does not say: the first at"
              + " once, the last ones at the end (${DEFAULT-VALUE}).")
  private int streamInterval = 1;

  @InRange(from = 0, to = 3_600)
  @Option(
      names = "--sse-keep-alive-interval",
      paramLabel = "SECONDS",
      description =
          "A stream without a token for so long gets a comment, which keeps proxies from ending it;"
              + " 0 for none: benchmark clients of vLLM and SGLang lose tokens or fail at comments"
              + " (${DEFAULT-VALUE}).")
  private int keepAliveSeconds;

  @InRange(from = 1)
  @Option(
      names = "--stall-threshold",
      paramLabel = "SECONDS",
      description =
          "Without progress for so long, /health and /ready are 503. Longer than the longest step"
              + " (${DEFAULT-VALUE}).")
  int stallSeconds = 300;

  @InRange(from = 0, to = 3_600)
  @Option(
      names = "--drain-timeout",
      paramLabel = "SECONDS",
      description = "How long requests under way may take at the end (${DEFAULT-VALUE}).")
  int drainTimeoutSeconds = 30;

  ServeHttpOptions() {
    super(8_000, 30, 8, ConnectionLimits.DEFAULT);
  }

  /**
   * The options.
   *
   * @throws IllegalArgumentException naming the option that is out of range
   */
  ServerOptions options() {
    final ApiKeys keys = KeyRules.keys("--api-key", apiKey);
    return ServerOptions.loopback(0)
        .withAddress(listenAt(keys))
        .withAccess(access(keys))
        .withConnections(connections())
        .withTls(tls())
        .withStreamInterval(streamInterval)
        .withKeepAlive(Duration.ofSeconds(keepAliveSeconds))
        .withLimits(limits());
  }

  private Access access(ApiKeys keys) {
    return Access.OPEN
        .withCors(cors())
        .withHosts(allowedHosts())
        .withKeys(keys)
        .withPrefixSharing(
            sharePrefixCache ? PrefixSharing.BETWEEN_KEYS : PrefixSharing.WITHIN_KEY);
  }

  private RequestLimits limits() {
    final RequestLimits usual = RequestLimits.ofHeap(Runtime.getRuntime().maxMemory());
    final RequestLimits bodies =
        maxBodyMemoryMib == null
            ? usual.withBodyBytes(maxBodyBytes())
            : usual.withBodies(maxBodyBytes(), bodyMemoryBytes(maxBodyMemoryMib));
    return bodies
        .withNumbers(maxMessages, maxStopTokenIds, maxOutputTokens)
        .withUnreadTokens(maxUnreadTokens)
        .withTimeout(requestTimeoutSeconds == 0 ? null : Duration.ofSeconds(requestTimeoutSeconds));
  }
}
