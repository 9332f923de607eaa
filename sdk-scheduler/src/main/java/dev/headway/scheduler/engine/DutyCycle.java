package dev.headway.scheduler.engine;

import dev.headway.api.probe.Rejection;
import dev.headway.api.request.FinishReason;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.probes.ProbeHub;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the engine thread does, over and over: take in what other threads handed over, then run a
 * step. Engine thread only.
 */
final class DutyCycle {

  private static final Logger LOG = LoggerFactory.getLogger(DutyCycle.class);

  private final Intake intake;
  private final LiveRequests liveRequests;
  private final Scheduler scheduler;
  private final StepRunner steps;
  private final ProbeHub probes;
  private final NanoClock clock;
  private final EngineCounters counters;
  private boolean executorFailed;

  DutyCycle(
      Intake intake,
      LiveRequests liveRequests,
      Scheduler scheduler,
      StepRunner steps,
      ProbeHub probes,
      NanoClock clock,
      EngineCounters counters) {
    this.intake = intake;
    this.liveRequests = liveRequests;
    this.scheduler = scheduler;
    this.steps = steps;
    this.probes = probes;
    this.clock = clock;
    this.counters = counters;
  }

  /**
   * Runs one cycle.
   *
   * @return whether anything was done; otherwise the thread may rest
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
    final boolean tookIn = takeIn(clock.nanoTime());
    if (!scheduler.hasWork()) {
      publish();
      return tookIn;
    }
    final StepRunner.Outcome outcome = steps.run();
    executorFailed |= outcome == StepRunner.Outcome.FAILED;
    liveRequests.endFailedListeners(scheduler, clock.nanoTime());
    publish();
    return tookIn
        || outcome == StepRunner.Outcome.DONE
        || outcome == StepRunner.Outcome.FAILED;
  }

  /*
   * A fault under a mapped file can surface at a later safepoint of compiled code, outside the guard
   * around the probe that wrote. Only probes that write to mappings can have caused it: they are
   * taken out, the step that was out is given up, and the engine goes on.
   */
  private void recoverFromMappedMemory(InternalError error) {
    if (!probes.detachMapped(error)) {
      throw error;
    }
    steps.abandonPlanOut(error);
  }

  /** Takes in everything other threads have handed over; returns whether there was anything. */
  boolean takeIn(long nowNs) {
    boolean any = false;
    for (Runnable command = intake.nextCommand();
        command != null;
        command = intake.nextCommand()) {
      command.run();
      any = true;
    }
    for (Rejection rejection = intake.nextRejection();
        rejection != null;
        rejection = intake.nextRejection()) {
      probes.onRejected(rejection);
      any = true;
    }
    for (LiveRequest live = intake.nextSubmission();
        live != null;
        live = intake.nextSubmission()) {
      liveRequests.add(live, scheduler, nowNs);
      any = true;
    }
    for (LiveRequest live = intake.nextCancellation();
        live != null;
        live = intake.nextCancellation()) {
      liveRequests.end(live, scheduler, FinishReason.ABORTED, null, nowNs);
      any = true;
    }
    liveRequests.endFailedListeners(scheduler, nowNs);
    liveRequests.expire(scheduler, nowNs);
    return any;
  }

  /** Whether a step has failed since the engine was made. */
  boolean hasExecutorFailed() {
    return executorFailed;
  }

  /** Whether no request is alive or on its way in. */
  boolean isIdle() {
    return intake.isEmpty() && !scheduler.hasWork();
  }

  /** Tells the probes that nothing is going on. */
  void idle() {
    probes.onIdle(clock.nanoTime());
  }

  /** Ends everything that is alive or on its way in. */
  void endAll(FinishReason reason) {
    final long nowNs = clock.nanoTime();
    takeIn(nowNs);
    liveRequests.endAll(scheduler, reason, null, nowNs);
    publish();
    LOG.debug("ended all requests: reason={}", reason);
  }

  private void publish() {
    EngineCounters.publish(counters.waiting, scheduler.waitingCount());
    EngineCounters.publish(counters.running, scheduler.runningCount());
    EngineCounters.publish(counters.steps, steps.stepsRun());
    EngineCounters.publish(counters.stepsFailed, steps.stepsFailed());
  }
}
