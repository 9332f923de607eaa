package dev.headway.scheduler.jfr;

import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.WaitReason;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The waits that are going on. Each is an event that began with the decision that caused it and is
 * committed with the one that ends it.
 *
 * <p>Requests that no decision examines share a reason, which may change while they wait; an event
 * for each of them at each change would cost O(waiting). So such a wait is one event, with the
 * reason it ended with, and {@link AdmissionsClosedEvent} has every change.
 */
final class WaitEvents {

  private final RequestWaitEvent probe = new RequestWaitEvent();
  private final AdmissionsClosedEvent closedProbe = new AdmissionsClosedEvent();
  private final Map<Long, RequestWaitEvent> open = new HashMap<>();
  private @Nullable AdmissionsClosedEvent closed;
  private @Nullable String sharedReason;
  private @Nullable String sharedBlocker;
  private long plans;

  /** A step was planned that leaves so many in the queue. */
  void planned(long stepId, int waiting) {
    plans++;
    if (waiting == 0) {
      commitClosed();
    } else if (closed == null && sharedReason != null && closedProbe.isEnabled()) {
      closed = beginClosed(stepId, sharedReason); // of before holds again, and is not told again
    }
  }

  /** A request is in the queue, and nobody has examined it. */
  void queued(RequestView request) {
    if (probe.isEnabled()) {
      begin(request, 0);
    }
  }

  /** A decision refused a request. */
  void blocked(
      long stepId,
      RequestView request,
      WaitReason reason,
      @Nullable RequestView blocker,
      int needed,
      int free) {
    ended(request);
    if (probe.isEnabled()) {
      final RequestWaitEvent wait = begin(request, stepId);
      wait.own = true;
      wait.reason = reason.label();
      wait.blocker = blocker == null ? null : blocker.id();
      wait.needed = needed;
      wait.free = free;
    }
  }

  /** Its own reason no longer holds, and it waits on for the shared one. */
  void unexamined(long stepId, RequestView request) {
    ended(request);
    if (probe.isEnabled()) {
      begin(request, stepId);
    }
  }

  /** It waits no more. */
  void ended(RequestView request) {
    if (open.isEmpty()) {
      return;
    }
    final RequestWaitEvent wait = open.remove(request.number());
    if (wait == null) {
      return;
    }
    if (!wait.own) {
      final boolean seen = wait.plansBefore < plans;
      wait.reason = seen ? sharedReason : WaitReason.INITIAL_WAITING.label();
      wait.blocker = seen ? sharedBlocker : null;
    }
    wait.end();
    wait.commit();
  }

  /** The shared reason changed. */
  void closed(long stepId, WaitReason reason, @Nullable RequestView blocker) {
    sharedReason = reason.label();
    sharedBlocker = blocker == null ? null : blocker.id();
    commitClosed();
    if (closedProbe.isEnabled()) {
      closed = beginClosed(stepId, reason.label());
    }
  }

  private AdmissionsClosedEvent beginClosed(long stepId, String reason) {
    final AdmissionsClosedEvent next = new AdmissionsClosedEvent();
    next.stepId = stepId;
    next.reason = reason;
    next.blocker = sharedBlocker;
    next.begin();
    return next;
  }

  /** The run ends: what is going on ends with it. */
  void close() {
    commitClosed();
    open.clear();
  }

  private void commitClosed() {
    if (closed != null) {
      closed.end();
      closed.commit();
      closed = null;
    }
  }

  private RequestWaitEvent begin(RequestView request, long stepId) {
    final RequestWaitEvent wait = new RequestWaitEvent();
    wait.requestId = request.id();
    wait.stepId = stepId;
    wait.plansBefore = plans;
    wait.begin();
    open.put(request.number(), wait);
    return wait;
  }
}
