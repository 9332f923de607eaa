package dev.headway.http.client;

import org.jspecify.annotations.Nullable;

/**
 * Why the rest of an answer will not come.
 *
 * @param detail what was wrong; null if the server closed the connection
 * @param wasStale whether the connection had been kept from an earlier request and no byte has come
 *     for this one: the server had closed it, or was just about to, for want of use
 */
public record Loss(Cause cause, @Nullable String detail, boolean wasStale) {

  /** What became of the connection. */
  public enum Cause {
    /** The server closed it. */
    CLOSED,
    /** The request could not be written. */
    UNWRITABLE,
    /** What came is no HTTP. */
    MALFORMED,
    /** It broke. */
    BROKEN
  }
}
