package dev.headway.scheduler.time;

import dev.headway.api.time.ClockAnchor;
import dev.headway.api.time.NanoClock;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;

/**
 * The machine's monotonic clock ({@link System#nanoTime()}), counted from the moment this object is
 * made. Any thread.
 */
public final class SystemNanoClock implements NanoClock {

  private static final int BRACKETS = 10;

  private final long originNs = System.nanoTime();
  private final ClockAnchor anchor = captureAnchor();

  /** Makes a clock that is at 0 now. */
  public SystemNanoClock() {}

  @Override
  public long nanoTime() {
    return System.nanoTime() - originNs;
  }

  @Override
  public void sleepUntil(long deadlineNs) {
    long leftNs = deadlineNs - nanoTime();
    while (leftNs > 0 && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(this, leftNs);
      leftNs = deadlineNs - nanoTime();
    }
  }

  @Override
  public ClockAnchor anchor() {
    return anchor;
  }

  @Override
  public boolean isVirtual() {
    return false;
  }

  /**
   * Reads the wall clock between two readings of this one, and keeps the narrowest of ten pairs.
   */
  private ClockAnchor captureAnchor() {
    ClockAnchor best = readAnchor();
    for (int i = 1; i < BRACKETS; i++) {
      final ClockAnchor candidate = readAnchor();
      if (candidate.errorNs() < best.errorNs()) {
        best = candidate;
      }
    }
    return best;
  }

  private ClockAnchor readAnchor() {
    final long before = nanoTime();
    final Instant wall = Instant.now();
    final long after = nanoTime();
    final long epochNs =
        Math.addExact(Math.multiplyExact(wall.getEpochSecond(), 1_000_000_000L), wall.getNano());
    return new ClockAnchor(epochNs, before + (after - before) / 2, (after - before + 1) / 2);
  }
}
