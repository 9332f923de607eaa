package dev.headway.scheduler.engine;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The live sessions: hands their inputs over, and ends those that wait too long. Engine thread. */
final class LiveSessions {

  private final LiveRequests owner;
  private final Scheduler scheduler;

  /** Those whose input can go on. */
  private final Set<LiveRequest> open = new LinkedHashSet<>();

  LiveSessions(LiveRequests owner, Scheduler scheduler) {
    this.owner = owner;
    this.scheduler = scheduler;
  }

  /** A session was taken in; inputs may have come before. */
  void add(LiveRequest live) {
    open.add(live);
    handOver(live);
  }

  /** A session has ended. */
  void forget(LiveRequest live) {
    open.remove(live);
  }

  /** Inputs of a session have come. */
  void handOver(LiveRequest live) {
    final RequestView view = live.view;
    if (view == null || live.inputs == null || live.isDone()) {
      return; // not taken in yet, or ended
    }
    live.inputs.handOver(scheduler, view);
  }

  /** A turn has ended; returns its number. */
  int turnEnded(LiveRequest live, long nowNs) {
    final SessionInputs inputs = inputsOf(live);
    final int turn = inputs.turnEnded(nowNs);
    watch(live);
    return turn;
  }

  /** One deadline for each session: it finds out when it is due whether it is the right one. */
  private void watch(LiveRequest live) {
    final Duration longest = live.request.inputTimeout();
    if (longest != null && !inputsOf(live).isWatched()) {
      inputsOf(live).watched(true);
      owner
          .deadlines()
          .add(
              inputsOf(live).idleUntilNs(longest),
              live,
              FinishReason.HOLD_TIMEOUT,
              () -> isOverdue(live, longest));
    }
  }

  private boolean isOverdue(LiveRequest live, Duration longest) {
    final SessionInputs inputs = inputsOf(live);
    inputs.watched(false);
    if (!inputs.isIdle()) {
      return false;
    }
    if (inputs.isIdleFor(longest)) {
      return true;
    }
    watch(live);
    return false;
  }

  private static SessionInputs inputsOf(LiveRequest live) {
    if (live.inputs == null) {
      throw new IllegalStateException("only a session has turns: id=" + live.id());
    }
    return live.inputs;
  }

  /** No session gets input any more. */
  void endInputs() {
    if (open.isEmpty()) {
      return;
    }
    final List<LiveRequest> all = new ArrayList<>(open);
    open.clear();
    for (LiveRequest live : all) {
      inputsOf(live).end();
      handOver(live);
    }
  }
}
