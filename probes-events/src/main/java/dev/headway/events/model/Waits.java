package dev.headway.events.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Wait accounting of a run: only the parts that a listener asked for. */
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

  /** The request's individual reason may have changed. */
  void touch(RequestTimeline request) {
    if (book != null) {
      book.touch(request);
    }
    if (counts != null && request.phase().isWaiting()) {
      counts.count(request, request.ownReason());
    }
  }

  /** The request waits for this reason at once, until the next plan at least. */
  void now(RequestTimeline request, String reason, long nowNs) {
    if (book != null) {
      book.now(request, reason, nowNs);
    }
  }

  /** A plan is complete, and the causes of the waiting requests are settled. */
  void settle(long nowNs) {
    if (book != null) {
      book.settle(nowNs);
    }
  }

  /** Reports all waits up to now. */
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

  /** Number of {@code waiting} requests per reason; empty if no listener asked for counts. */
  Map<String, Integer> counts(int waiting, @Nullable String sharedReason) {
    return counts == null ? Map.of() : counts.of(waiting, sharedReason);
  }
}
