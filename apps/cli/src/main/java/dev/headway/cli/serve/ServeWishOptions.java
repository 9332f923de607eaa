package dev.headway.cli.serve;

import dev.headway.api.request.RequestTimeouts;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.Needs;
import dev.headway.server.WishLimits;
import dev.headway.server.WishLimits.ForcedTokens;
import dev.headway.server.WishLimits.Retention;
import java.time.Duration;
import picocli.CommandLine.Option;

/** What clients may ask of the engine beside answers, on the command line. */
final class ServeWishOptions {

  @Option(
      names = "--kv-cache-retention",
      paramLabel = "NAME",
      description =
          "What requests may ask of the prefix cache by kv_cache_retention_config: refused;"
              + " priority, in which order contents are given up; or pin too, which keeps blocks"
              + " until their time is over or a request is alone and lacks them (${DEFAULT-VALUE}).")
  private Retention retention = Retention.REFUSED;

  @Needs(
      value = "--kv-cache-retention",
      is = {"priority", "pin"})
  @InRange(from = 1, to = 1_000_000)
  @Option(
      names = "--max-kv-cache-retention",
      paramLabel = "SECONDS",
      description =
          "How long after their last use blocks may be kept longer than those of others; a request"
              + " that names no time gets this (${DEFAULT-VALUE}).")
  private int longestRetentionSeconds = (int) WishLimits.DEFAULT.longestRetention().toSeconds();

  @Option(
      names = "--allow-forced-tokens",
      description =
          "Requests may bring their answer along as forced_token_ids: it is computed as any other,"
              + " for tests of clients and for runs that repeat recorded ones.")
  private boolean allowForcedTokens;

  /**
   * The limits.
   *
   * @param timeouts of the engine
   */
  WishLimits limits(RequestTimeouts timeouts) {
    return WishLimits.DEFAULT
        .withRetention(retention, Duration.ofSeconds(longestRetentionSeconds))
        .withForcedTokens(allowForcedTokens ? ForcedTokens.ALLOWED : ForcedTokens.REFUSED)
        .withTimeouts(timeouts);
  }
}
