package dev.headway.router.record;

import org.jspecify.annotations.Nullable;

/**
 * A request that is over. Instants are nanoseconds of the host's clock.
 *
 * @param id the request's id
 * @param method of HTTP, as the client wrote it
 * @param path without the query
 * @param model the model asked for; null if the body names none
 * @param maxTokens most tokens asked for, 0 if the body does not say
 * @param receivedNs the router had read the request
 * @param endedNs the last part of the answer was written, or the client had gone
 * @param status that the client was answered; 499 if it went away
 * @param failure the code of what went wrong, as clients see it, {@link #CLIENT_GONE}, or null
 */
public record RoutedRequest(
    String id,
    String method,
    String path,
    @Nullable String model,
    int maxTokens,
    long receivedNs,
    long endedNs,
    int status,
    @Nullable String failure) {

  /** The client went away before the end of its answer. */
  public static final String CLIENT_GONE = "client_gone";
}
