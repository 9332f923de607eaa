package dev.headway.api.time;

/**
 * A monotonic clock that starts at 0 when it is made.
 *
 * <p>Instants are {@code long} nanoseconds since that origin; a duration is the difference of two
 * instants of the same clock. Any thread may read a clock; {@link #sleepUntil} is called by the
 * engine thread and by executors.
 */
public interface NanoClock {

  /**
   * Returns the nanoseconds since this clock's origin. Never negative, never decreasing; allocates
   * nothing.
   */
  long nanoTime();

  /**
   * Returns nanoseconds since an arbitrary origin, to measure work for which no time passes on this
   * clock. A real clock returns {@link #nanoTime()}; so does a virtual one that measures nothing.
   * Never decreasing; allocates nothing.
   */
  default long hostNanoTime() {
    return nanoTime();
  }

  /**
   * Returns once {@link #nanoTime()} is at least {@code deadlineNs}: a real clock parks the calling
   * thread, a virtual clock jumps. An interrupt ends the wait early and stays set.
   *
   * @param deadlineNs instant of this clock; one in the past returns at once
   */
  void sleepUntil(long deadlineNs);

  /** Returns the pair that ties this clock's origin to calendar time. Constant for a clock. */
  ClockAnchor anchor();

  /** Whether time passes only when {@link #sleepUntil} is called, as in a simulation. */
  boolean isVirtual();
}
