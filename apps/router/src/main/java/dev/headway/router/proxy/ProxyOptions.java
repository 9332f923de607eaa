package dev.headway.router.proxy;

import dev.headway.router.resilience.RetryOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How requests are passed on.
 *
 * @param retry when one is tried again
 * @param requestTimeout longest time from a request to the end of its answer
 * @param connectTimeout longest time to connect to a worker
 * @param clientTimeout a client that neither sends a whole request nor takes what is sent to it for
 *     so long is cut off
 * @param maxBodyBytes longest body of a request
 * @param apiKey clients must send it; null for none
 * @param workerKey sent to workers instead of what the client sent; null to pass that on
 */
public record ProxyOptions(
    RetryOptions retry,
    Duration requestTimeout,
    Duration connectTimeout,
    Duration clientTimeout,
    int maxBodyBytes,
    @Nullable String apiKey,
    @Nullable String workerKey) {

  /** Half an hour for a request, 64 MiB, no keys. */
  public static final ProxyOptions DEFAULT =
      new ProxyOptions(
          RetryOptions.DEFAULT,
          Duration.ofMinutes(30),
          Duration.ofSeconds(5),
          Duration.ofSeconds(60),
          64 << 20,
          null,
          null);
}
