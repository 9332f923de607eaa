package dev.headway.probes.csv.projection;

import dev.headway.events.model.RequestTimeline;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the rows of a request need besides its timeline: cells, positions, the row before. */
final class RequestCells {

  private final RequestTimeline timeline;
  private final RequestIdentity identity;
  private final QueueHistory queue = new QueueHistory();
  private RequestPhase state = RequestPhase.WAITING;
  private WaitingQueueOrder.@Nullable Place place;

  private @Nullable RequestPhase rowState;
  private @Nullable Reason rowReason;
  private boolean rowShares;

  RequestCells(RequestTimeline timeline, RequestIdentity identity) {
    this.timeline = timeline;
    this.identity = identity;
  }

  /** Those attached to a request when it was queued. */
  static RequestCells of(RequestTimeline request) {
    return (RequestCells) Objects.requireNonNull(request.attachment(), "request has no cells");
  }

  RequestTimeline timeline() {
    return timeline;
  }

  RequestIdentity identity() {
    return identity;
  }

  QueueHistory queue() {
    return queue;
  }

  /** Its place in the queue, null outside. */
  WaitingQueueOrder.@Nullable Place place() {
    return place;
  }

  void place(WaitingQueueOrder.@Nullable Place next) {
    place = next;
  }

  /** Its phase. */
  RequestPhase state() {
    return state;
  }

  /** Enters a state; returns the one it leaves. */
  RequestPhase enter(RequestPhase next) {
    final RequestPhase left = state;
    state = next;
    return left;
  }

  /**
   * Remembers what a row says; returns whether that differs from the row before. Of a reason that
   * all share only that it is shared is said.
   */
  boolean changesRow(@Nullable Reason reason, boolean shares) {
    final Reason own = shares ? null : reason;
    final boolean changed =
        rowState != state || rowShares != shares || !Objects.equals(rowReason, own);
    rowState = state;
    rowShares = shares;
    rowReason = own;
    return changed;
  }
}
