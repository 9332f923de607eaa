package dev.headway.loadgen.arrival;

import dev.headway.routing.timing.HostClock;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Lets requests go at absolute deadlines: parks until shortly before each and then spins, so that
 * neither the time that a release takes nor the coarseness of a sleep adds up. A deadline that has
 * passed is met at once. One platform thread.
 */
public final class Pacer {

  private static final long SPIN_NS = 50_000;

  /** A stop is noticed within this time. */
  private static final long LONGEST_PARK_NS = 20_000_000;

  private final BooleanSupplier stop;

  /**
   * Makes a pacer.
   *
   * @param stop asked now and then by the pacing thread; true ends the run early
   */
  public Pacer(BooleanSupplier stop) {
    this.stop = stop;
  }

  /** What happens at a deadline. */
  @FunctionalInterface
  public interface Release {
    /**
     * Lets a request go; must not block.
     *
     * @param index of the request, from 0
     * @param intendedNs the deadline, on {@link HostClock}
     */
    void release(int index, long intendedNs);
  }

  /**
   * Waits for each deadline in turn.
   *
   * @param startNs the start, on {@link HostClock}
   * @param offsetsNs deadlines after the start, ascending
   * @return how many were released
   */
  public int run(long startNs, long[] offsetsNs, Release release) {
    for (int i = 0; i < offsetsNs.length; i++) {
      final long deadlineNs = startNs + offsetsNs[i];
      if (!await(deadlineNs)) {
        return i;
      }
      release.release(i, deadlineNs);
    }
    return offsetsNs.length;
  }

  /** Returns at the deadline, or with false when the run is to end before. */
  private boolean await(long deadlineNs) {
    while (true) {
      final long leftNs = deadlineNs - HostClock.nanoTime();
      if (leftNs <= 0) {
        return !stop.getAsBoolean();
      }
      if (leftNs <= SPIN_NS) {
        Thread.onSpinWait();
      } else if (stop.getAsBoolean()) {
        return false;
      } else {
        LockSupport.parkNanos(Math.min(leftNs - SPIN_NS, LONGEST_PARK_NS));
      }
    }
  }
}
