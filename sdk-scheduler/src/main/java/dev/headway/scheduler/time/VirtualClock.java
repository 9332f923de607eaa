package dev.headway.scheduler.time;

import dev.headway.api.time.ClockAnchor;
import dev.headway.api.time.NanoClock;

/**
 * A clock that only advances when a thread waits on it: then it jumps there. Starts at 0. Any
 * thread reads it; one thread advances it.
 */
public final class VirtualClock implements NanoClock {

  private static final ClockAnchor ANCHOR = new ClockAnchor(0L, 0L, 0L);

  private final boolean measuresHost;
  private volatile long nowNs;

  /** Makes a clock at 0. What is recorded by it is the same in every run. */
  public VirtualClock() {
    this(false);
  }

  private VirtualClock(boolean measuresHost) {
    this.measuresHost = measuresHost;
  }

  /**
   * Makes a clock at 0 that reads the machine's time beside its own, so that a run in virtual time
   * records how long its scheduling really took. Its instants are those of any virtual clock.
   *
   * @return the clock
   */
  public static VirtualClock measuringHost() {
    return new VirtualClock(true);
  }

  @Override
  public long nanoTime() {
    return nowNs;
  }

  @Override
  public long hostNanoTime() {
    return measuresHost ? System.nanoTime() : nowNs;
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
