package dev.headway.router.resilience;

import java.time.Duration;

/**
 * When a worker is left alone.
 *
 * @param failures failures in a row that open the breaker, >= 1
 * @param window within which they lie
 * @param open how long it stays open
 * @param trials requests at once that find out whether the worker is back, >= 1
 * @param successes trials in a row that close it, >= 1
 */
public record BreakerOptions(
    int failures, Duration window, Duration open, int trials, int successes) {

  /** Ten failures within 2 minutes, open for a minute, then one request at a time until three. */
  public static final BreakerOptions DEFAULT =
      new BreakerOptions(10, Duration.ofSeconds(120), Duration.ofSeconds(60), 1, 3);

  /** Checks. */
  public BreakerOptions {
    requirePositive("breaker failures", failures);
    requirePositive("breaker trials", trials);
    requirePositive("breaker successes", successes);
  }

  private static void requirePositive(String what, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(what + " must be >= 1: value=" + value);
    }
  }
}
