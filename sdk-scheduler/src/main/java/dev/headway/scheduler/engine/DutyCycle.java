package dev.headway.scheduler.engine;

import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.request.FinishReason;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.probes.ProbeDispatcher;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop body of the engine thread: take in submissions and commands of other threads, then run a
 * step. Engine thread only.
 */
final class DutyCycle {

  private static final Logger LOG = LoggerFactory.getLogger(DutyCycle.class);

  private final Intake intake;
  private final LiveRequests liveRequests;
  private final Scheduler scheduler;
  private final StepRunner steps;
  private final ProbeDispatcher probes;
  private final NanoClock clock;
  private final Consumer<RefusedRequest> reportRejection;
  private final Consumer<JourneyEvent> reportJourney;
  private final SchedulerEvents events;
  private final EngineCounters counters;

  DutyCycle(
      Intake intake,
      LiveRequests liveRequests,
      Scheduler scheduler,
      StepRunner steps,
      ProbeDispatcher probes,
      NanoClock clock,
      EngineCounters counters) {
    this.intake = intake;
    this.liveRequests = liveRequests;
    this.scheduler = scheduler;
    this.steps = steps;
    this.probes = probes;
    this.events = new SchedulerEvents(probes);
    this.reportRejection = this::reportRejection;
    this.reportJourney = events::journey;
    this.clock = clock;
    this.counters = counters;
  }

  /**
   * Runs one cycle.
   *
   * @return whether anything was done; otherwise the thread may park
   */
  boolean run() {
    try {
      return cycle();
    } catch (InternalError e) {
      recoverFromMappedMemory(e);
      return true;
    }
  }

  private boolean cycle() {
    final boolean tookIn = takeIn();
    if (!hasWork()) {
      publish();
      return tookIn;
    }
    final StepRunner.Outcome outcome = steps.run();
    liveRequests.endFailedListeners();
    publish();
    return tookIn || outcome == StepRunner.Outcome.DONE || outcome == StepRunner.Outcome.FAILED;
  }

  /*
   * A fault under a mapped file can surface at a later safepoint of compiled code, outside the
   * guard around the probe that wrote. Probes that write to such files make their faults surface
   * inside it; this is the fallback. Only they can have caused it: they are detached, the step in
   * flight is discarded, and the engine continues. If the error has left the scheduler's state
   * inconsistent, the scheduler refuses further calls, and the engine ends with every handle done.
   */
  private void recoverFromMappedMemory(InternalError error) {
    if (!probes.detachMapped(error)) {
      throw error;
    }
    steps.failBrokenStep(error);
  }

  /**
   * Takes in the submissions and commands of other threads so far; returns whether there were any.
   * Later submissions wait for the next cycle, so that a flood of them cannot delay the step.
   */
  private boolean takeIn() {
    boolean any = false;
    for (Runnable command = intake.nextCommand(); command != null; command = intake.nextCommand()) {
      command.run();
      any = true;
    }
    if (intake.hasReports()) {
      any |= report(intake.rejections(), reportRejection);
      any |= report(intake.journeys(), reportJourney);
    }
    for (int left = intake.queued(); left > 0; left--) {
      final LiveRequest live = intake.nextSubmission();
      if (live != null) { // a submitter may have withdrawn it
        liveRequests.add(live);
        any = true;
      }
    }
    for (HoldWatch over = intake.nextHoldOver(); over != null; over = intake.nextHoldOver()) {
      liveRequests.release(over);
      any = true;
    }
    for (LiveRequest live = intake.nextWantedEnd(); live != null; live = intake.nextWantedEnd()) {
      liveRequests.endAsWanted(live);
      any = true;
    }
    liveRequests.endFailedListeners();
    liveRequests.expire(clock.nanoTime());
    return any;
  }

  private static <T> boolean report(Reports<T> reports, Consumer<? super T> probes) {
    boolean any = false;
    for (int left = reports.size(); left > 0; left--) {
      final T report = reports.next();
      if (report != null) {
        probes.accept(report);
        any = true;
      }
    }
    return any;
  }

  private void reportRejection(RefusedRequest refused) {
    events.rejected(
        steps.stepsRun(),
        refused.request(),
        refused.reason(),
        refused.message(),
        refused.arrivalNs());
  }

  /** Waits for the steps in flight and processes their outputs. */
  void endStepsOut() {
    steps.endAllOut();
  }

  /** The executor's exception in the latest failed step, or null. */
  @Nullable Throwable executorFailure() {
    return steps.lastFailure();
  }

  /** Whether the answer to a step that was given up is outstanding. */
  boolean awaitsLateAnswer() {
    return steps.awaitsLateAnswer();
  }

  /** Whether a step could do something. */
  boolean hasWork() {
    return scheduler.hasWork() || steps.hasStepsOut();
  }

  /** Whether no request is alive or on its way in. */
  boolean isIdle() {
    return intake.isEmpty() && !intake.hasLive() && !hasWork();
  }

  /** Notifies the probes that the engine is idle. */
  void idle() {
    try {
      probes.onIdle(clock.nanoTime());
    } catch (InternalError e) {
      recoverFromMappedMemory(e);
    }
  }

  /** Ends everything that is alive or on its way in, whatever state the scheduler is in. */
  void endAll(FinishReason reason, @Nullable Throwable cause) {
    Throwable why = cause;
    try {
      takeIn();
      liveRequests.endAll(reason, cause);
      publish();
    } catch (Throwable t) {
      LOG.error("the scheduler could not end its requests; their handles end without it", t);
      why = cause != null ? cause : t;
    }
    liveRequests.endWithoutScheduler(reason, why, clock.nanoTime()); // those left over
  }

  private void publish() {
    EngineCounters.publish(counters.waiting, scheduler.waitingCount());
    EngineCounters.publish(counters.running, scheduler.runningCount());
    counters.publishBlocks();
    EngineCounters.publish(counters.steps, steps.stepsRun());
    EngineCounters.publish(counters.stepsFailed, steps.stepsFailed());
  }
}
