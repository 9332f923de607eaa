package dev.headway.scheduler.core;

import dev.headway.api.request.Hold;
import dev.headway.api.request.RequestStatus;
import dev.headway.scheduler.state.RequestState;
import java.util.List;

/** Requests held by something outside the scheduler: they are in the queue, and no step looks. */
final class Holds {

  private final SchedulerState state;

  Holds(SchedulerState state) {
    this.state = state;
  }

  /** Puts a newly arrived request with holds into the queue. */
  void add(RequestState request) {
    final List<Hold> holds = request.request().holds();
    request.pendingHolds = -1 >>> -holds.size(); // the lowest bits
    state.waiting.addHeld(request);
  }

  /** Its wait begins, with the reason of its first hold. */
  void begin(RequestState request) {
    state.waits.held(
        state.stepId, request, request.request().holds().getFirst().reason(), request.queuedNs());
  }

  /** A hold is over. */
  void release(RequestState request, Hold hold, long nowNs) {
    final List<Hold> holds = request.request().holds();
    final int index = holds.indexOf(hold);
    if (index < 0) {
      throw new IllegalArgumentException(
          "the hold must be one of the request's: id=" + request.id() + ", hold=" + hold);
    }
    final int before = request.pendingHolds;
    final int left = before & ~(1 << index);
    if (left == before || request.status == RequestStatus.FINISHED) {
      return;
    }
    request.pendingHolds = left;
    if (left == 0) {
      state.waiting.release(request);
      state.waits.released(state.stepId, request, nowNs);
    } else if (first(left) != first(before)) {
      state.waits.held(state.stepId, request, holds.get(first(left)).reason(), nowNs);
    }
  }

  private static int first(int pending) {
    return Integer.numberOfTrailingZeros(pending);
  }
}
