package dev.headway.events.jfr;

import dev.headway.events.model.Decision;
import dev.headway.events.model.RequestTable;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RequestWaits;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepPlanFigures;
import org.jspecify.annotations.Nullable;

/**
 * The waits in progress. Each is an event that began with the decision that caused it and is
 * committed with the one that ends it.
 *
 * <p>Requests that no decision examines share a reason, which may change while they wait; an event
 * for each of them at each change would cost O(waiting). So such a wait is one event, with the
 * reason it ended with, and {@link AdmissionClosureEvent} has every change.
 */
final class WaitEvents {

  private final RunTimeline run;
  private final RequestWaitEvent probe = new RequestWaitEvent();
  private final AdmissionClosureEvent closedProbe = new AdmissionClosureEvent();
  private final RequestTable<RequestWaitEvent> open = new RequestTable<>();
  private @Nullable AdmissionClosureEvent closed;

  WaitEvents(RunTimeline run) {
    this.run = run;
  }

  /** A request is in the queue and was not examined yet. */
  void queued(RequestTimeline request) {
    if (probe.isEnabled()) {
      begin(request, 0);
    }
  }

  /** A decision took effect. */
  void decided(Decision decision, long stepId) {
    switch (decision) {
      case Decision.Blocked blocked -> {
        endWithItsReason(blocked.request());
        if (probe.isEnabled()) {
          refuse(begin(blocked.request(), stepId), blocked);
        }
      }
      case Decision.Unblocked unblocked -> {
        endWithItsReason(unblocked.request());
        if (unblocked.request().phase().isWaiting() && probe.isEnabled()) {
          begin(unblocked.request(), stepId);
        }
      }
      case Decision.AdmissionsClosed ignored -> {
        commitClosed();
        beginClosed(stepId);
      }
      default -> {}
    }
  }

  /** A step was planned. */
  void planned(StepPlanFigures plan) {
    if (plan.waitingCount() == 0) {
      commitClosed();
    } else if (closed == null) {
      beginClosed(plan.stepId()); // the earlier one holds again, and is not reported again
    }
  }

  /** A stay in the queue ended; {@code reason} held at its end. */
  void ended(RequestTimeline request, String reason) {
    final RequestWaitEvent wait = open.get(request.number());
    if (wait == null) {
      return;
    }
    open.remove(request.number());
    if (!wait.own) {
      wait.reason = reason;
      wait.blocker = reason.equals(run.sharedReason()) ? idOf(run.sharedBlocker()) : null;
    }
    wait.end();
    wait.commit();
  }

  /** A request that may have been running without tokens no longer waits. */
  void stalled(RequestTimeline request) {
    endWithItsReason(request);
  }

  /** The run ends, and with it all waits in progress. */
  void close() {
    commitClosed();
    open.clear();
  }

  private void endWithItsReason(RequestTimeline request) {
    final RequestWaits waits = request.waits();
    final String shared = run.sharedReason();
    ended(request, waits.sharesCause() && shared != null ? shared : waits.cause().reason());
  }

  private static void refuse(RequestWaitEvent wait, Decision.Blocked blocked) {
    wait.own = true;
    wait.reason = blocked.record().reason();
    wait.blocker = idOf(blocked.blocker());
    wait.needed = blocked.record().needed();
    wait.free = blocked.record().free();
  }

  private RequestWaitEvent begin(RequestTimeline request, long stepId) {
    final RequestWaitEvent wait = new RequestWaitEvent();
    wait.requestId = request.id();
    wait.stepId = stepId;
    wait.begin();
    open.add(request.number(), wait);
    return wait;
  }

  private void beginClosed(long stepId) {
    if (run.sharedReason() != null && closedProbe.isEnabled()) {
      final AdmissionClosureEvent next = new AdmissionClosureEvent();
      next.stepId = stepId;
      next.reason = run.sharedReason();
      next.blocker = idOf(run.sharedBlocker());
      next.begin();
      closed = next;
    }
  }

  private void commitClosed() {
    if (closed != null) {
      closed.end();
      closed.commit();
      closed = null;
    }
  }

  private static @Nullable String idOf(@Nullable RequestTimeline request) {
    return request == null ? null : request.id();
  }
}
