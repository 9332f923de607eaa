package dev.headway.scheduler.engine;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.internal.SafeText;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestTimeouts;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.time.NanoClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The live requests between the callers' handles and the scheduler: ends, deadlines, listeners that
 * throw. Engine thread only, except {@link #requestEnd}, {@link #holdIsOver} and {@link
 * #countFailedListener}.
 */
final class LiveRequests {

  private static final Logger LOG = LoggerFactory.getLogger(LiveRequests.class);

  /** No instant. */
  static final long NEVER = Long.MAX_VALUE;

  private final Intake intake;
  private final Scheduler scheduler;
  private final EngineCounters counters;
  private final Runnable wakeUp;
  private final NanoClock clock;
  private final RequestRules rules;
  private final RequestTimeouts defaultTimeouts;
  private final int streamInterval;
  private @Nullable RequestDeadlines deadlines;
  private @Nullable LiveSessions sessions;
  private final List<LiveRequest> failedListeners = new ArrayList<>();

  LiveRequests(
      Intake intake,
      Scheduler scheduler,
      EngineCounters counters,
      Runnable wakeUp,
      NanoClock clock,
      RequestRules rules,
      RequestTimeouts defaultTimeouts,
      int streamInterval) {
    this.streamInterval = streamInterval;
    this.clock = clock;
    this.defaultTimeouts = defaultTimeouts;
    this.rules = rules;
    this.intake = intake;
    this.scheduler = scheduler;
    this.counters = counters;
    this.wakeUp = wakeUp;
  }

  /** Requests the end of a request on behalf of its caller. Any thread. */
  void requestEnd(LiveRequest live) {
    intake.end(live);
    wakeUp.run();
  }

  /** Puts a submitted request into the scheduler. */
  void add(LiveRequest live) {
    live.takenIn = true;
    live.view = scheduler.add(live.request, live, live.arrivalNs);
    if (live.wantedEnd() != null) { // the end may have been processed before the request was added
      endAsWanted(live);
    } else {
      final RequestTimeouts timeouts = timeoutsOf(live);
      if (timeouts != null) {
        endAfter(live, timeouts.total(), FinishReason.DEADLINE, null);
        endAfter(live, timeouts.queue(), FinishReason.QUEUE_TIMEOUT, () -> !live.isAdmitted);
      }
      if (!live.request.holds().isEmpty()) {
        watchHolds(live);
      }
      if (live.inputs != null) {
        sessions().add(live);
      }
    }
  }

  /** Of how many tokens the listener of a request is notified at a time. Any thread. */
  int streamIntervalOf(Request request) {
    return request.streamInterval() == 0 ? streamInterval : request.streamInterval();
  }

  /** Returns null if there are none, of which there are many. */
  @SuppressWarnings("ReferenceEquality") // others that limit nothing work as well
  private @Nullable RequestTimeouts timeoutsOf(LiveRequest live) {
    final RequestTimeouts own = live.request.timeouts();
    if (own != RequestTimeouts.NONE) {
      return own.orElse(defaultTimeouts);
    }
    return defaultTimeouts == RequestTimeouts.NONE ? null : defaultTimeouts;
  }

  /** A request is admitted for the first time: from now on it runs. */
  void admitted(LiveRequest live, long nowNs) {
    intake.admitted(live);
    final RequestTimeouts timeouts = timeoutsOf(live);
    final Duration longest = timeouts == null ? null : timeouts.run();
    if (longest != null) {
      deadlines().add(RequestDeadlines.after(nowNs, longest), live, FinishReason.RUN_TIMEOUT, null);
    }
  }

  private LiveSessions sessions() {
    if (sessions == null) {
      sessions = new LiveSessions(this, scheduler);
    }
    return sessions;
  }

  /** The further inputs of a session. */
  SessionInputs inputsOf(LiveRequest session) {
    return new SessionInputs(session, clock, rules);
  }

  /** A session got input, or the end of it; returns true. Any thread. */
  boolean inputCame(LiveRequest session) {
    intake.command(() -> sessions().handOver(session));
    wakeUp.run();
    return true;
  }

  /** A turn of a session has ended; returns its number. */
  int turnEnded(LiveRequest session, long nowNs) {
    return sessions().turnEnded(session, nowNs);
  }

  /** The engine drains: sessions get no more input. */
  void endInputs() {
    if (sessions != null) {
      sessions.endInputs();
    }
  }

  /** When live requests end. */
  RequestDeadlines deadlines() {
    if (deadlines == null) {
      deadlines = new RequestDeadlines();
    }
    return deadlines;
  }

  /** Ends a request this long after its arrival, if something still holds then; null for never. */
  private void endAfter(
      LiveRequest live,
      @Nullable Duration longest,
      FinishReason reason,
      @Nullable BooleanSupplier pending) {
    if (longest != null) {
      deadlines().add(RequestDeadlines.after(live.arrivalNs, longest), live, reason, pending);
    }
  }

  private void watchHolds(LiveRequest live) {
    live.holds =
        live.request.holds().stream().map(hold -> new HoldWatch(hold, this, live)).toList();
    for (HoldWatch watch : live.holds) {
      watch(watch, live, live.arrivalNs);
    }
  }

  /** The admission gate holds a request from now on. */
  void heldByGate(LiveRequest live, Hold hold, long nowNs) {
    final HoldWatch watch = new HoldWatch(hold, this, live);
    live.gateHold = watch;
    watch(watch, live, nowNs);
  }

  private void watch(HoldWatch watch, LiveRequest live, long beginNs) {
    final Hold hold = watch.hold();
    if (hold.timeout() != null) {
      deadlines()
          .add(
              RequestDeadlines.after(beginNs, hold.timeout()),
              live,
              FinishReason.HOLD_TIMEOUT,
              () -> watch.live() != null);
    }
    if (hold.releaseNs() != ABSENT) {
      deadlines().add(hold.releaseNs(), live, FinishReason.HOLD_TIMEOUT, () -> isReleased(watch));
    }
    hold.until().whenComplete(watch);
  }

  /** The instant of a hold has come, which ends nothing. */
  private boolean isReleased(HoldWatch watch) {
    release(watch);
    return false;
  }

  /** A hold of a request is over. Any thread. */
  void holdIsOver(HoldWatch watch) {
    intake.holdIsOver(watch);
    wakeUp.run();
  }

  /** Releases a request that is alive, or ends it if what it was held for has failed. */
  void release(HoldWatch watch) {
    final LiveRequest live = watch.live();
    final RequestView view = live == null ? null : live.view;
    if (live == null || view == null) {
      return;
    }
    watch.forget();
    final Throwable failure = watch.failure();
    if (failure == null) {
      scheduler.release(view, watch.hold());
    } else {
      end(live, FinishReason.HOLD_FAILED, failure);
    }
  }

  /** Ends a request as requested by its caller, if it is still alive. */
  void endAsWanted(LiveRequest live) {
    final FinishReason wanted = live.wantedEnd();
    if (wanted != null) {
      end(live, wanted, null);
    }
  }

  /** Ends the requests whose deadline has passed. */
  void expire(long nowNs) {
    if (deadlines == null) {
      return;
    }
    for (RequestDeadlines.Deadline due = deadlines.due(nowNs);
        due != null;
        due = deadlines.due(nowNs)) {
      due.live().deadlines--;
      if (due.pending() == null || due.pending().getAsBoolean()) {
        end(due.live(), due.reason(), null);
      }
    }
  }

  /** The next deadline, or {@link #NEVER}. */
  long nextDeadlineNs() {
    return deadlines == null ? NEVER : deadlines.nextNs();
  }

  /** Ends a request if it is still alive. */
  void end(LiveRequest live, FinishReason reason, @Nullable Throwable cause) {
    final RequestView view = live.view;
    if (view != null && !live.isDone()) {
      scheduler.finish(view, reason, cause);
    }
  }

  /** Ends the requests whose listener threw since the last call. */
  void endFailedListeners() {
    while (!failedListeners.isEmpty()) {
      final LiveRequest live = failedListeners.removeLast();
      end(live, FinishReason.LISTENER_FAILED, live.listenerFailure);
    }
  }

  /** Ends all requests taken in, in the order of their arrival. */
  void endAll(FinishReason reason, @Nullable Throwable cause) {
    for (LiveRequest live : intake.liveInOrder()) {
      end(live, reason, cause);
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
    if (deadlines != null) {
      deadlines.forget(live);
    }
    live.holds.forEach(HoldWatch::forget);
    if (live.gateHold != null) {
      live.gateHold.forget();
    }
    if (sessions != null) {
      sessions.forget(live);
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
