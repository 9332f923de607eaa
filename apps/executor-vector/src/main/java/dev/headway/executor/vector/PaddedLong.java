package dev.headway.executor.vector;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A number that several threads change, with 128 unused bytes around it: two cache lines, which
 * processors fetch in pairs. So a thread that waits for it to change is not disturbed when
 * something else does. Any thread; memory effects as of {@link
 * java.util.concurrent.atomic.AtomicLong}.
 */
final class PaddedLong {

  /** Longs in 128 bytes; so many lie in front of the number and behind it. */
  private static final int PADDING = 16;

  private final AtomicLongArray cells = new AtomicLongArray(2 * PADDING + 1);

  long get() {
    return cells.get(PADDING);
  }

  void set(long value) {
    cells.set(PADDING, value);
  }

  long getAndIncrement() {
    return cells.getAndIncrement(PADDING);
  }

  void add(long delta) {
    cells.getAndAdd(PADDING, delta);
  }

  boolean compareAndSet(long expected, long value) {
    return cells.compareAndSet(PADDING, expected, value);
  }
}
