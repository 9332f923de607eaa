package dev.headway.scheduler.core;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
import dev.headway.api.request.HoldReason;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.schedule.WaitReason;
import dev.headway.scheduler.state.RequestState;
import java.util.ArrayList;
import java.util.List;

/** Requests held by something outside the scheduler: they are in the queue, and no step looks. */
final class Holds {

  private final SchedulerState state;

  /** Their holds have failed, and admissions have reached them. */
  private final List<RequestState> failed = new ArrayList<>();

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
        state.stepId,
        request,
        WaitReason.of(request.request().holds().getFirst().reason()),
        request.queuedNs());
  }

  /** A hold is over. */
  void release(RequestState request, Hold hold, long nowNs) {
    if (hold == request.gateHold) {
      releaseByGate(request, nowNs);
      return;
    }
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
      Grammars.compiled(request);
      state.hasGrammars |= request.grammar != null;
      state.waiting.release(request);
      state.waits.released(state.stepId, request, nowNs);
    } else if (first(left) != first(before)) {
      state.waits.held(
          state.stepId, request, WaitReason.of(holds.get(first(left)).reason()), nowNs);
    }
  }

  /** The admission gate holds the head of the queue; the step's plan makes it known. */
  void holdByGate(RequestState head, Hold hold, long nowNs) {
    head.gateHold = hold;
    head.isHeldByGate = true;
    state.waits.holdBack(state.stepId, head, reasonOf(hold));
    state.waiting.hold(head);
    head.listener().onHeld(head, hold, nowNs);
  }

  private static WaitReason reasonOf(Hold byGate) {
    return byGate.reason() == HoldReason.EXTERNAL
        ? WaitReason.POLICY_DEFERRED
        : WaitReason.of(byGate.reason());
  }

  private void releaseByGate(RequestState request, long nowNs) {
    if (request.isHeldByGate && request.status != RequestStatus.FINISHED) {
      request.isHeldByGate = false;
      state.waiting.release(request);
      state.waits.released(state.stepId, request, nowNs);
    }
  }

  /**
   * A hold of a request has failed, which vLLM notices when admissions reach the request, and tells
   * with the outputs of the next step that ends.
   */
  void failLate(RequestState request, Throwable cause) {
    request.holdFailure = cause;
    state.waiting.release(request);
  }

  /** Admissions have reached a request whose hold has failed. */
  void noticed(RequestState request) {
    if (!failed.contains(request)) {
      failed.add(request);
    }
  }

  /** Ends the requests whose failed holds were noticed. */
  void endFailed(Retirement retirement, long nowNs) {
    for (RequestState request : failed) {
      if (request.status != RequestStatus.FINISHED) {
        retirement.retire(request, FinishReason.HOLD_FAILED, ABSENT, request.holdFailure, nowNs);
      }
    }
    failed.clear();
  }

  private static int first(int pending) {
    return Integer.numberOfTrailingZeros(pending);
  }
}
