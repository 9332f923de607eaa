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
  private final int capacity;

  Reports(int capacity) {
    this.capacity = capacity;
  }

  void add(T report) {
    if (size.incrementAndGet() > capacity) {
      size.decrementAndGet();
      countUnreported();
    } else {
      queue.add(report);
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

  boolean isEmpty() {
    return queue.isEmpty();
  }

  @Nullable T next() {
    final T report = queue.poll();
    if (report != null) {
      size.decrementAndGet();
    }
    return report;
  }
}
