package dev.headway.scheduler.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Events of other threads for the probes: bounded, never blocking; events that do not fit are
 * counted. Any thread reports, the engine thread takes.
 */
final class Reports<T> {

  private final Queue<T> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private final LongAdder unreported = new LongAdder();
  private final AtomicInteger waiting;
  private final int capacity;

  /** Makes an empty queue; {@code waiting} counts what is in it and in others. */
  Reports(int capacity, AtomicInteger waiting) {
    this.capacity = capacity;
    this.waiting = waiting;
  }

  void add(T report) {
    if (size.incrementAndGet() > capacity) {
      size.decrementAndGet();
      countUnreported();
    } else {
      queue.add(report);
      waiting.incrementAndGet();
    }
  }

  /** Counts an event that is dropped. */
  void countUnreported() {
    unreported.increment();
  }

  /** How many wait. */
  int size() {
    return size.get();
  }

  long unreported() {
    return unreported.sum();
  }

  @Nullable T next() {
    final T report = queue.poll();
    if (report != null) {
      size.decrementAndGet();
      waiting.decrementAndGet();
    }
    return report;
  }
}
