package dev.headway.faultsim.simulation;

import dev.headway.api.schedule.WaitReason;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Accounts for the waits of requests by the events alone: each has its own reason or that of all
 * others, from the end of the plan in which it was decided. What outcomes say must be the same.
 */
final class WaitCheck {

  private final RuleBook rules;
  private final List<TrackedRequest> queue = new ArrayList<>();

  /** Admitted or preempted since the latest plan. */
  private final List<TrackedRequest> moved = new ArrayList<>();

  private @Nullable WaitReason shared;

  WaitCheck(RuleBook rules) {
    this.rules = rules;
  }

  /** Requests in the queue, by the decisions so far. */
  int queued() {
    return queue.size();
  }

  void queued(TrackedRequest request, long nowNs) {
    enter(request);
    request.wait.begin(WaitReason.INITIAL_WAITING, nowNs);
  }

  private void enter(TrackedRequest request) {
    request.wait.isQueued = true;
    queue.add(request);
  }

  void admitted(TrackedRequest request) {
    request.wait.own = null;
    request.wait.isQueued = false;
    queue.remove(request);
    moved.add(request);
  }

  void preempted(TrackedRequest request) {
    enter(request);
    moved.add(request);
  }

  /** A reset of the cache has preempted it, which takes effect at once. */
  void evicted(TrackedRequest request, long nowNs) {
    enter(request);
    request.wait.begin(WaitReason.EVICTED, nowNs);
  }

  /** A session waits for input, at once; one that was preempted is in the queue. */
  void rested(TrackedRequest request, long nowNs) {
    if (!request.wait.isQueued) {
      enter(request);
    }
    if (!request.wait.isOpen()) {
      request.wait.begin(WaitReason.STREAMING_INPUT, nowNs);
    }
  }

  void blocked(TrackedRequest request, @Nullable WaitReason reason) {
    request.wait.own = reason;
  }

  /** It is held from outside, or no longer, which takes effect at once. */
  void held(TrackedRequest request, WaitReason reason, long nowNs) {
    request.wait.because(reason, nowNs);
  }

  void closed(WaitReason reason) {
    shared = reason;
  }

  /** A plan is made: decisions since the one before take effect. */
  void planned(long nowNs) {
    for (int i = 0; i < moved.size(); i++) {
      final TrackedRequest request = moved.get(i);
      if (!request.wait.isQueued) {
        end(request, nowNs);
      } else if (!request.wait.isOpen()) {
        request.wait.begin(WaitReason.PREEMPTED, nowNs);
      }
    }
    moved.clear();
    for (int i = 0; i < queue.size(); i++) {
      final WaitAccount wait = queue.get(i).wait;
      wait.because(wait.own == null ? shared : wait.own, nowNs);
    }
  }

  void ended(TrackedRequest request, long nowNs) {
    if (request.wait.isQueued) {
      request.wait.isQueued = false;
      queue.remove(request);
    }
    moved.remove(request);
    moved.remove(request); // admitted and displaced again by one plan
    end(request, nowNs);
  }

  private void end(TrackedRequest request, long nowNs) {
    if (request.wait.isOpen()) {
      if (nowNs < request.wait.sinceNs()) {
        rules.violate(
            Rule.WAITS_ADD_UP,
            "a wait must not end before it begins: "
                + request
                + ", sinceNs="
                + request.wait.sinceNs()
                + ", nowNs="
                + nowNs);
      }
      request.wait.end(nowNs);
    }
  }
}
