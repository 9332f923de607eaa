package dev.headway.scheduler.engine;

import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.Scheduler;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The live requests between the callers' handles and the scheduler: ends, deadlines, listeners that
 * throw. Engine thread only, except {@link #requestCancel}.
 */
final class LiveRequests {

  private static final Logger LOG = LoggerFactory.getLogger(LiveRequests.class);

  private final Intake intake;
  private final EngineCounters counters;
  private final Runnable wakeUp;
  private final PriorityQueue<LiveRequest> deadlines =
      new PriorityQueue<>(Comparator.comparingLong((LiveRequest live) -> live.deadlineNs));
  private final List<LiveRequest> failedListeners = new ArrayList<>();

  LiveRequests(Intake intake, EngineCounters counters, Runnable wakeUp) {
    this.intake = intake;
    this.counters = counters;
    this.wakeUp = wakeUp;
  }

  /** Asks for the end of a request. Any thread. */
  void requestCancel(LiveRequest live) {
    intake.cancel(live);
    wakeUp.run();
  }

  /** Puts a submitted request into the scheduler. */
  void add(LiveRequest live, Scheduler scheduler, long nowNs) {
    live.view = scheduler.add(live.request, live, live.arrivalNs, nowNs);
    if (live.deadlineNs != LiveRequest.NO_DEADLINE) {
      deadlines.add(live);
    }
  }

  /** Ends those whose time is up. */
  void expire(Scheduler scheduler, long nowNs) {
    for (LiveRequest first = deadlines.peek();
        first != null && (first.deadlineNs <= nowNs || first.isDone());
        first = deadlines.peek()) {
      deadlines.poll();
      end(first, scheduler, FinishReason.DEADLINE, null, nowNs);
    }
  }

  /** The next deadline, or {@link LiveRequest#NO_DEADLINE}. */
  long nextDeadlineNs() {
    final LiveRequest first = deadlines.peek();
    return first == null ? LiveRequest.NO_DEADLINE : first.deadlineNs;
  }

  /** Ends a request if it is still alive. */
  void end(
      LiveRequest live,
      Scheduler scheduler,
      FinishReason reason,
      @Nullable Throwable cause,
      long nowNs) {
    final RequestView view = live.view;
    if (view != null && !live.isDone()) {
      scheduler.finish(view, reason, cause, nowNs);
    }
  }

  /** Ends those whose listener threw since the last call. */
  void endFailedListeners(Scheduler scheduler, long nowNs) {
    while (!failedListeners.isEmpty()) {
      final LiveRequest live = failedListeners.removeLast();
      end(live, scheduler, FinishReason.LISTENER_FAILED, live.listenerFailure, nowNs);
    }
  }

  /** Ends all that were taken in, in the order of their arrival. */
  void endAll(Scheduler scheduler, FinishReason reason, @Nullable Throwable cause, long nowNs) {
    for (LiveRequest live : intake.liveInOrder()) {
      end(live, scheduler, reason, cause, nowNs);
    }
  }

  /** A request has ended: its id is free again, its listener and its handle are told. */
  void onFinished(LiveRequest live, RequestOutcome outcome) {
    intake.releaseId(live);
    EngineCounters.publish(counters.finished, counters.finished.get() + 1);
    live.complete(outcome);
  }

  /** A listener threw; its request ends before the next step. */
  void onListenerFailed(LiveRequest live, Throwable cause) {
    if (live.listenerFailure != null) {
      return;
    }
    live.listenerFailure = cause;
    failedListeners.add(live);
    EngineCounters.publish(counters.listenersFailed, counters.listenersFailed.get() + 1);
    LOG.error("the listener of request {} threw; the others go on", live.id(), cause);
  }
}
