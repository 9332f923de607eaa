package dev.headway.scheduler.time;

import dev.headway.api.time.ClockAnchor;
import dev.headway.api.time.NanoClock;

/**
 * A clock that only advances when a thread waits on it: then it jumps there. Starts at 0. Any
 * thread reads it; one thread advances it.
 */
public final class VirtualClock implements NanoClock {

  private static final ClockAnchor ANCHOR = new ClockAnchor(0L, 0L, 0L);

  private volatile long nowNs;

  /** Makes a clock at 0. */
  public VirtualClock() {}

  @Override
  public long nanoTime() {
    return nowNs;
  }

  @Override
  public void sleepUntil(long deadlineNs) {
    nowNs = Math.max(nowNs, deadlineNs);
  }

  /**
   * Lets time pass.
   *
   * @param durationNs nanoseconds, >= 0
   * @throws IllegalArgumentException if negative
   */
  public void advance(long durationNs) {
    if (durationNs < 0) {
      throw new IllegalArgumentException("durationNs must be >= 0: durationNs=" + durationNs);
    }
    nowNs = Math.addExact(nowNs, durationNs);
  }

  /** The epoch: virtual time has no calendar. */
  @Override
  public ClockAnchor anchor() {
    return ANCHOR;
  }

  @Override
  public boolean isVirtual() {
    return true;
  }
}
