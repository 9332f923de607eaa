package dev.headway.router.admission;

import java.time.Duration;

/**
 * How many requests a router takes.
 *
 * @param maxConcurrent most requests under way, 0 for any number
 * @param waitingRoom most requests that wait for others to end, >= 0
 * @param waitTimeout how long one may wait
 * @param ratePerSecond requests per second in the long run, 0 for any
 * @param burst requests that may come at once within that rate, >= 1
 */
public record AdmissionOptions(
    int maxConcurrent, int waitingRoom, Duration waitTimeout, double ratePerSecond, int burst) {

  /** No limit; with one, 100 may wait for a minute. */
  public static final AdmissionOptions DEFAULT =
      new AdmissionOptions(0, 100, Duration.ofSeconds(60), 0, 1);

  /** Checks. */
  public AdmissionOptions {
    if (maxConcurrent < 0 || waitingRoom < 0 || !(ratePerSecond >= 0) || burst < 1) {
      throw new IllegalArgumentException(
          "limits of admission must be >= 0, and the burst >= 1: maxConcurrent="
              + maxConcurrent
              + ", waitingRoom="
              + waitingRoom
              + ", ratePerSecond="
              + ratePerSecond
              + ", burst="
              + burst);
    }
  }
}
