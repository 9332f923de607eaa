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
 * @param clients what clients may do
 * @param workerKey sent to workers instead of what the client sent; null to pass that on
 */
public record ProxyOptions(
    RetryOptions retry,
    Duration requestTimeout,
    Duration connectTimeout,
    ClientRules clients,
    @Nullable String workerKey) {

  /** Half an hour for a request, and what {@link ClientRules#ofHeap} says of clients. */
  public static final ProxyOptions DEFAULT =
      new ProxyOptions(
          RetryOptions.DEFAULT,
          Duration.ofMinutes(30),
          Duration.ofSeconds(5),
          ClientRules.ofHeap(Runtime.getRuntime().maxMemory()),
          null);
}
