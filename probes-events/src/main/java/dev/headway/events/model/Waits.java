package dev.headway.events.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is kept of the waits of a run: only what a listener asked for. */
final class Waits {

  private @Nullable WaitAccounting book;
  private @Nullable WaitCounts counts;

  void keep(WaitAccounting asked) {
    if (book != null) {
      throw new IllegalStateException("the waits of a run must be asked for once");
    }
    book = asked;
  }

  boolean areBooked() {
    return book != null;
  }

  void keep(WaitCounts asked) {
    counts = asked;
  }

  /** A stay in the queue begins, for a reason that holds until the next plan. */
  void begin(RequestTimeline request, String reason, long nowNs) {
    if (book != null) {
      book.begin(request, reason, nowNs);
    }
    if (counts != null) {
      counts.count(request, request.ownReason());
    }
  }

  /** The request's own reason may have changed. */
  void touch(RequestTimeline request) {
    if (book != null) {
      book.touch(request);
    }
    if (counts != null && request.phase().isWaiting()) {
      counts.count(request, request.ownReason());
    }
  }

  /** A plan is complete, and the causes of those who wait are settled. */
  void settle(long nowNs) {
    if (book != null) {
      book.settle(nowNs);
    }
  }

  /** Tells what requests have waited for up to now. */
  void tell(long nowNs) {
    if (book != null) {
      book.tell(nowNs);
    }
  }

  /** Requests that wait for a cause. */
  int waitingFor(Cause cause) {
    if (book == null) {
      throw new IllegalStateException(
          "waits must be asked for when the run begins, with RunTimeline.bookWaits");
    }
    return book.waitingFor(cause);
  }

  /** A stay ends. */
  void end(RequestTimeline request, long nowNs) {
    if (book != null) {
      book.end(request, nowNs);
    }
    if (counts != null) {
      counts.count(request, null);
    }
  }

  /** How many of {@code waiting} requests wait for what; empty if nobody asked for counts. */
  Map<String, Integer> counts(int waiting, @Nullable String sharedReason) {
    return counts == null ? Map.of() : counts.of(waiting, sharedReason);
  }
}
