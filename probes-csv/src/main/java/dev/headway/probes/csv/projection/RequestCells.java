package dev.headway.probes.csv.projection;

import dev.headway.events.model.Phase;
import dev.headway.events.model.RequestTimeline;
import dev.headway.probes.csv.projection.WaitReasons.Reason;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the rows of a request need besides its timeline: its cell, positions, the row before. */
final class RequestCells {

  private final RequestTimeline timeline;
  private final String idCell;
  private final QueueHistory queue = new QueueHistory();
  private WaitingQueueOrder.@Nullable Place place;

  private @Nullable String rowState;
  private @Nullable Reason rowReason;
  private boolean rowShares;

  /** Those of a request whose id is written as {@code idCell}. */
  RequestCells(RequestTimeline timeline, String idCell) {
    this.timeline = timeline;
    this.idCell = idCell;
  }

  /** Those attached to a request when it was queued. */
  static RequestCells of(RequestTimeline request) {
    return (RequestCells) Objects.requireNonNull(request.attachment(), "request has no cells");
  }

  /** A phase as files name it. */
  static String state(Phase phase) {
    return switch (phase) {
      case WAITING -> "waiting";
      case PREEMPTED -> "preempted";
      case PREFILL, RECOMPUTE, DECODE -> "running";
      case ENDED -> "completed";
    };
  }

  RequestTimeline timeline() {
    return timeline;
  }

  /** Order of arrival in its run. */
  long number() {
    return timeline.number();
  }

  /** The caller's name for it, as a cell. */
  String idCell() {
    return idCell;
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

  /** Its phase as files name it. */
  String state() {
    return state(timeline.phase());
  }

  /**
   * Remembers what a row says; returns whether that differs from the row before. Of a reason that
   * all share only that it is shared is said.
   */
  boolean changesRow(@Nullable Reason reason, boolean shares) {
    final Reason own = shares ? null : reason;
    final String state = state();
    final boolean changed =
        !state.equals(rowState) || rowShares != shares || !Objects.equals(rowReason, own);
    rowState = state;
    rowShares = shares;
    rowReason = own;
    return changed;
  }
}
