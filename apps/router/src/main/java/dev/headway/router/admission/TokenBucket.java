package dev.headway.router.admission;

/** Lets a burst through and then so many per second. One thread at a time. */
final class TokenBucket {

  private final double perNs;
  private final double most;
  private double tokens;
  private long atNs;

  /** Begins full. */
  TokenBucket(double ratePerSecond, int burst, long nowNs) {
    perNs = ratePerSecond / 1e9;
    most = burst;
    tokens = burst;
    atNs = nowNs;
  }

  boolean take(long nowNs) {
    tokens = Math.min(most, tokens + Math.max(0, nowNs - atNs) * perNs);
    atNs = nowNs;
    if (tokens < 1) {
      return false;
    }
    tokens--;
    return true;
  }
}
