package dev.headway.scheduler.engine;

import java.util.Comparator;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The live requests that have not been admitted so far, the one to be evicted first at the end: the
 * least important, the latest of equals. Any thread; O(log n).
 */
final class WorstWaiters {

  private static final Comparator<LiveRequest> ORDER =
      Comparator.<LiveRequest>comparingInt(live -> live.request.priority())
          .thenComparingLong(live -> live.arrivalNs)
          .thenComparingLong(live -> live.submission);

  private final TreeSet<LiveRequest> waiters = new TreeSet<>(ORDER);
  private final AtomicLong submissions = new AtomicLong();

  /** A request begins to wait. */
  void add(LiveRequest live) {
    live.submission = submissions.incrementAndGet();
    synchronized (waiters) {
      waiters.add(live);
    }
  }

  /** A request waits no more. */
  void remove(LiveRequest live) {
    synchronized (waiters) {
      waiters.remove(live);
    }
  }

  /** Takes out the request to be evicted for a newcomer; null if none is less important. */
  @Nullable LiveRequest giveWayTo(LiveRequest newcomer) {
    synchronized (waiters) {
      final LiveRequest worst = waiters.isEmpty() ? null : waiters.last();
      if (worst == null || worst.request.priority() <= newcomer.request.priority()) {
        return null;
      }
      waiters.remove(worst);
      worst.gaveWay = true;
      return worst;
    }
  }
}
