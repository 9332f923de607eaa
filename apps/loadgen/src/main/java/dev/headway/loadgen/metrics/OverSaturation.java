package dev.headway.loadgen.metrics;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Whether more comes than the server does: requests under way and times to first token both grow
 * with time. Each slope is one of least squares, and counts as positive when the half of its 95 %
 * interval is less than twice the slope, as guidellm has it. Means of latencies say nothing then:
 * they grow with the length of the run. One thread at a time.
 */
public final class OverSaturation {

  private static final double WINDOW_SECONDS = 120;
  private static final double WINDOW_SHARE = 0.75;
  private static final double LEAST_SECONDS = 30;
  private static final double LEAST_TTFT_SECONDS = 2.5;
  private static final int LEAST_POINTS = 5;
  private static final double MOST_ERROR = 2;
  private static final double NORMAL_QUANTILE = 1.959963984540054;

  private record Point(double seconds, double value) {}

  private final Deque<Point> concurrencies = new ArrayDeque<>();
  private final Deque<Point> firstTokens = new ArrayDeque<>();
  private int taken;
  private double lateSeconds;

  /** So many requests are under way at a time. */
  public synchronized void underWay(double seconds, int requests) {
    concurrencies.addLast(new Point(seconds, requests));
    forget(concurrencies, seconds);
  }

  /** The first token of a request came at a time, so many seconds after it was sent. */
  public synchronized void firstToken(double seconds, double ttftSeconds) {
    taken++;
    lateSeconds = Math.max(lateSeconds, ttftSeconds);
    firstTokens.addLast(new Point(seconds, ttftSeconds));
    while (firstTokens.size() > Math.max(LEAST_POINTS, WINDOW_SHARE * taken)) {
      firstTokens.removeFirst();
    }
    forget(firstTokens, seconds);
  }

  /** Whether it is over-saturated now, by what was seen so far; never in the first 30 s. */
  public synchronized boolean isReached(double seconds) {
    return seconds >= LEAST_SECONDS
        && lateSeconds > LEAST_TTFT_SECONDS
        && grows(concurrencies)
        && grows(firstTokens);
  }

  private static void forget(Deque<Point> points, double now) {
    while (!points.isEmpty() && points.getFirst().seconds < now - WINDOW_SECONDS) {
      points.removeFirst();
    }
  }

  private static boolean grows(Deque<Point> points) {
    final int count = points.size();
    if (count < LEAST_POINTS) {
      return false;
    }
    final double meanX = points.stream().mapToDouble(Point::seconds).average().orElse(0);
    final double meanY = points.stream().mapToDouble(Point::value).average().orElse(0);
    double xx = 0;
    double xy = 0;
    double yy = 0;
    for (Point point : points) {
      xx += (point.seconds - meanX) * (point.seconds - meanX);
      xy += (point.seconds - meanX) * (point.value - meanY);
      yy += (point.value - meanY) * (point.value - meanY);
    }
    final double slope = xx == 0 ? 0 : xy / xx;
    if (!(slope > 0)) {
      return false;
    }
    final double variance = Math.max(0, yy - slope * xy) / (count - 2);
    return quantile(count - 2) * Math.sqrt(variance / xx) / slope < MOST_ERROR;
  }

  /**
   * The 97.5th percentile of Student's distribution, by the first three terms of its expansion
   * around the normal one (Abramowitz, Stegun, 26.7.5): 1 % off for 3 degrees of freedom, less for
   * more.
   */
  static double quantile(int degrees) {
    final double z = NORMAL_QUANTILE;
    final double z3 = z * z * z;
    final double z5 = z3 * z * z;
    final double z7 = z5 * z * z;
    return z
        + (z3 + z) / (4 * degrees)
        + (5 * z5 + 16 * z3 + 3 * z) / (96.0 * degrees * degrees)
        + (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384.0 * degrees * degrees * degrees);
  }
}
