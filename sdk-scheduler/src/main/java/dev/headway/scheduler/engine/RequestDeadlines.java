package dev.headway.scheduler.engine;

import dev.headway.api.request.FinishReason;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The deadlines of live requests, the next one first. Engine thread only. */
final class RequestDeadlines {

  private static final int FEWEST_SWEPT = 64;

  private final PriorityQueue<Deadline> queue =
      new PriorityQueue<>(Comparator.comparingLong(Deadline::atNs));

  /** Deadlines in the queue whose request has ended, at most. */
  private int ended;

  /**
   * When a request ends.
   *
   * @param pending asked then: unless it is over; null if the request ends whatever it does
   */
  record Deadline(
      long atNs, LiveRequest live, FinishReason reason, @Nullable BooleanSupplier pending) {}

  /** The end of a duration, or {@link LiveRequests#NEVER} if the clock does not get there. */
  static long after(long beginNs, Duration duration) {
    final long ns = TimeUnit.NANOSECONDS.convert(duration); // saturates
    return beginNs + Math.min(ns, LiveRequests.NEVER - beginNs);
  }

  /**
   * Adds a deadline.
   *
   * @param pending what it depends on, or null
   */
  void add(long atNs, LiveRequest live, FinishReason reason, @Nullable BooleanSupplier pending) {
    queue.add(new Deadline(atNs, live, reason, pending));
    live.deadlines++;
  }

  /** A request has ended. */
  void forget(LiveRequest live) {
    ended += live.deadlines;
  }

  /** Takes the next one that has passed, or returns null. */
  @Nullable Deadline due(long nowNs) {
    sweep();
    final Deadline first = first();
    return first == null || first.atNs() > nowNs ? null : queue.poll();
  }

  /** The first of a request that has not ended, or null. */
  private @Nullable Deadline first() {
    Deadline first = queue.peek();
    while (first != null && first.live().isDone()) {
      queue.poll();
      first = queue.peek();
    }
    return first;
  }

  /* Requests that ended early are removed in one sweep once they are half: amortised O(1) each. */
  private void sweep() {
    if (ended > FEWEST_SWEPT && 2 * ended > queue.size()) {
      queue.removeIf(deadline -> deadline.live().isDone());
      ended = 0;
    }
  }

  /** The instant of the next, or {@link LiveRequests#NEVER}. */
  long nextNs() {
    final Deadline first = first();
    return first == null ? LiveRequests.NEVER : first.atNs();
  }
}
