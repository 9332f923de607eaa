package dev.headway.server;

import dev.headway.api.request.RequestTimeouts;
import java.time.Duration;

/**
 * What a request may ask of the engine beside its answer. Immutable.
 *
 * @param retention what it may ask of the prefix cache
 * @param longestRetention how long its blocks may be kept longer than those of others, behind their
 *     last use
 * @param forcedTokens whether it may bring its answer along
 * @param timeouts of the engine, which a request can shorten; those that are absent do not bound it
 */
public record WishLimits(
    Retention retention,
    Duration longestRetention,
    ForcedTokens forcedTokens,
    RequestTimeouts timeouts) {

  /** Nothing but shorter timeouts: one client cannot take anything from another. */
  public static final WishLimits DEFAULT =
      new WishLimits(
          Retention.REFUSED, Duration.ofHours(1), ForcedTokens.REFUSED, RequestTimeouts.NONE);

  /** What may be asked of the prefix cache. */
  public enum Retention {
    /** Nothing: all contents are given up in one order. */
    REFUSED,
    /** Priorities. */
    PRIORITY,
    /** Priorities, and blocks that are not given up. */
    PIN
  }

  /** Whether answers may be given beforehand. */
  public enum ForcedTokens {
    /** The model picks them. */
    REFUSED,
    /** They are computed, and are what the request says. */
    ALLOWED
  }

  /** Returns these with other wishes for the prefix cache. */
  public WishLimits withRetention(Retention other, Duration longest) {
    return new WishLimits(other, longest, forcedTokens, timeouts);
  }

  /** Returns these with answers that may be given beforehand, or not. */
  public WishLimits withForcedTokens(ForcedTokens other) {
    return new WishLimits(retention, longestRetention, other, timeouts);
  }

  /** Returns these with the timeouts of another engine. */
  public WishLimits withTimeouts(RequestTimeouts other) {
    return new WishLimits(retention, longestRetention, forcedTokens, other);
  }
}
