package dev.headway.scheduler.engine;

import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.internal.SafeText;
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
 * throw. Engine thread only, except {@link #requestEnd} and {@link #countFailedListener}.
 */
final class LiveRequests {

  private static final Logger LOG = LoggerFactory.getLogger(LiveRequests.class);
  private static final int FEWEST_SWEPT = 64;

  private final Intake intake;
  private final EngineCounters counters;
  private final Runnable wakeUp;
  private final PriorityQueue<LiveRequest> deadlines =
      new PriorityQueue<>(Comparator.comparingLong((LiveRequest live) -> live.deadlineNs));
  private final List<LiveRequest> failedListeners = new ArrayList<>();

  /** Ended requests that are still in {@link #deadlines}, at most. */
  private int endedDeadlines;

  LiveRequests(Intake intake, EngineCounters counters, Runnable wakeUp) {
    this.intake = intake;
    this.counters = counters;
    this.wakeUp = wakeUp;
  }

  /** Requests the end of a request on behalf of its caller. Any thread. */
  void requestEnd(LiveRequest live) {
    intake.end(live);
    wakeUp.run();
  }

  /** Puts a submitted request into the scheduler. */
  void add(LiveRequest live, Scheduler scheduler) {
    live.takenIn = true;
    live.view = scheduler.add(live.request, live, live.arrivalNs);
    if (live.wantedEnd() != null) { // the end may have been processed before the request was added
      endAsWanted(live, scheduler);
    } else if (live.deadlineNs != LiveRequest.NO_DEADLINE) {
      deadlines.add(live);
    }
  }

  /** Ends a request as requested by its caller, if it is still alive. */
  void endAsWanted(LiveRequest live, Scheduler scheduler) {
    final FinishReason wanted = live.wantedEnd();
    if (wanted != null) {
      end(live, scheduler, wanted, null);
    }
  }

  /** Ends the requests whose deadline has passed. */
  void expire(Scheduler scheduler, long nowNs) {
    forgetEndedDeadlines();
    for (LiveRequest first = deadlines.peek();
        first != null && (first.deadlineNs <= nowNs || first.isDone());
        first = deadlines.peek()) {
      deadlines.poll();
      end(first, scheduler, FinishReason.DEADLINE, null);
    }
  }

  /* Requests that ended early are removed in one sweep once they are half: amortised O(1) each. */
  private void forgetEndedDeadlines() {
    if (endedDeadlines > FEWEST_SWEPT && 2 * endedDeadlines > deadlines.size()) {
      deadlines.removeIf(LiveRequest::isDone);
      endedDeadlines = 0;
    }
  }

  /** The next deadline, or {@link LiveRequest#NO_DEADLINE}. */
  long nextDeadlineNs() {
    final LiveRequest first = deadlines.peek();
    return first == null ? LiveRequest.NO_DEADLINE : first.deadlineNs;
  }

  /** Ends a request if it is still alive. */
  void end(LiveRequest live, Scheduler scheduler, FinishReason reason, @Nullable Throwable cause) {
    final RequestView view = live.view;
    if (view != null && !live.isDone()) {
      scheduler.finish(view, reason, cause);
    }
  }

  /** Ends the requests whose listener threw since the last call. */
  void endFailedListeners(Scheduler scheduler) {
    while (!failedListeners.isEmpty()) {
      final LiveRequest live = failedListeners.removeLast();
      end(live, scheduler, FinishReason.LISTENER_FAILED, live.listenerFailure);
    }
  }

  /** Ends all requests taken in, in the order of their arrival. */
  void endAll(Scheduler scheduler, FinishReason reason, @Nullable Throwable cause) {
    for (LiveRequest live : intake.liveInOrder()) {
      end(live, scheduler, reason, cause);
    }
  }

  /**
   * Ends all requests taken in or still queued, without calling a scheduler that may have failed.
   */
  void endWithoutScheduler(FinishReason reason, @Nullable Throwable cause, long nowNs) {
    for (LiveRequest live = intake.nextSubmission(); live != null; live = intake.nextSubmission()) {
      live.takenIn = true;
    }
    for (LiveRequest live : intake.liveInOrder()) {
      live.endWithoutScheduler(reason, cause, nowNs);
    }
  }

  /** A request has ended: releases its id, notifies its listener and completes its handle. */
  void onFinished(LiveRequest live, RequestOutcome outcome) {
    intake.releaseId(live);
    EngineCounters.publish(counters.finished, counters.finished.get() + 1);
    if (live.deadlineNs != LiveRequest.NO_DEADLINE) {
      endedDeadlines++;
    }
    live.complete(outcome);
  }

  /** The first token was generated, so the prompt is computed. */
  void onPrefilled(LiveRequest live) {
    intake.prefilled(live);
  }

  /** A listener threw at a token; its request ends before the next step. */
  void onListenerFailed(LiveRequest live, Throwable cause) {
    if (live.listenerFailure != null) {
      return;
    }
    live.listenerFailure = cause;
    failedListeners.add(live);
    countFailedListener(live, cause);
  }

  /**
   * Counts and logs a listener that threw. Any thread: rejections are reported on the submitting
   * thread.
   */
  void countFailedListener(LiveRequest live, Throwable cause) {
    counters.listenersFailed.incrementAndGet();
    LOG.error("the listener of request {} threw; the others go on", SafeText.of(live.id()), cause);
  }
}
