package dev.headway.router.resilience;

import java.time.Duration;
import java.util.Set;

/**
 * When a request is tried again, before anything of an answer was passed on.
 *
 * @param attempts in all, >= 1
 * @param first mean wait before the second
 * @param factor by which each wait is longer than the one before
 * @param longest the longest mean wait
 * @param jitter share of the wait by which it is made shorter or longer at random
 */
public record RetryOptions(
    int attempts, Duration first, double factor, Duration longest, double jitter) {

  /** Five attempts, 50 ms at first, half as much again each time, 20 % either way. */
  public static final RetryOptions DEFAULT =
      new RetryOptions(5, Duration.ofMillis(50), 1.5, Duration.ofSeconds(30), 0.2);

  private static final Set<Integer> STATUSES = Set.of(408, 429, 500, 502, 503, 504);

  /** Checks. */
  public RetryOptions {
    if (attempts < 1) {
      throw new IllegalArgumentException("attempts must be >= 1: attempts=" + attempts);
    }
  }

  /** Whether an answer of this status is worth another attempt. */
  public static boolean isRetryable(int status) {
    return STATUSES.contains(status);
  }

  /**
   * How long to wait.
   *
   * @param failed attempts that failed so far, >= 1
   * @param random uniform in [0, 1)
   * @return nanoseconds
   */
  public long waitNs(int failed, double random) {
    final double mean =
        Math.min(first.toNanos() * Math.pow(factor, failed - 1), (double) longest.toNanos());
    return Math.round(mean * (1 + jitter * (2 * random - 1)));
  }
}
