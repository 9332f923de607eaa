package dev.headway.router.health;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How workers are asked how they are.
 *
 * @param path asked for; any 2xx is well
 * @param interval between two checks of a worker
 * @param timeout longest time for an answer
 * @param failures in a row that make it unhealthy, >= 1
 * @param successes in a row that make it healthy again, >= 1
 * @param loads how often workers are asked for their load; zero for never
 * @param workerKey sent as a bearer token; null for none
 */
public record HealthOptions(
    String path,
    Duration interval,
    Duration timeout,
    int failures,
    int successes,
    Duration loads,
    @Nullable String workerKey) {

  /**
   * Every 5 s, unhealthy after 3, healthy after 1, since the breaker tries it with one request at
   * first; loads every second.
   */
  public static final HealthOptions DEFAULT =
      new HealthOptions(
          "/health",
          Duration.ofSeconds(5),
          Duration.ofSeconds(5),
          3,
          1,
          Duration.ofSeconds(1),
          null);
}
