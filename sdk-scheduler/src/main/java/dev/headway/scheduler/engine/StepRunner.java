package dev.headway.scheduler.engine;

import dev.headway.api.executor.Executor;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.schedule.StepAcknowledgement;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.probes.ProbeHub;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one step: schedule, execute, update, tell the probe. A step that the executor fails, or does
 * not answer in time, ends the requests in it and nobody else. Engine thread only.
 */
final class StepRunner {

  /** What became of a step. */
  enum Outcome {
    /** Requests have made progress, or the executor was told of ended ones. */
    DONE,
    /** Nobody could progress: the plan was empty. */
    NOTHING_PLANNED,
    /** The executor failed. */
    FAILED,
    /** The executor owes the answer to an earlier step; nothing was planned. */
    EXECUTOR_LATE
  }

  private static final Logger LOG = LoggerFactory.getLogger(StepRunner.class);

  /**
   * Longest wait at a time for a late answer: cancellations, deadlines and close go on meanwhile.
   */
  private static final long LATE_POLL_NS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Scheduler scheduler;
  private final Executor executor;
  private final ProbeHub probes;
  private final NanoClock clock;
  private final long timeoutNs;
  private final StepOutput output = new StepOutput();
  private final CompletedStepView result = new CompletedStepView(output);
  private @Nullable StepPlan planOut;
  private long lateStepId;
  private int lateSize;
  private long stepsRun;
  private long stepsFailed;
  private @Nullable Throwable lastFailure;

  StepRunner(
      Scheduler scheduler, Executor executor, ProbeHub probes, NanoClock clock, long timeoutNs) {
    this.scheduler = scheduler;
    this.executor = executor;
    this.probes = probes;
    this.clock = clock;
    this.timeoutNs = timeoutNs;
  }

  /** Steps planned so far. */
  long stepsRun() {
    return stepsRun;
  }

  /** Steps that the executor failed or did not answer in time. */
  long stepsFailed() {
    return stepsFailed;
  }

  /** What the latest failed step failed with, or null. */
  @Nullable Throwable lastFailure() {
    return lastFailure;
  }

  /** Runs a step to its end. */
  Outcome run() {
    if (lateStepId != 0 && !collectLateAnswer()) {
      return Outcome.EXECUTOR_LATE;
    }
    final StepPlan plan = scheduler.schedule(clock.nanoTime());
    planOut = plan;
    stepsRun++;
    scheduler.planned(plan, clock.nanoTime());
    result.begin(plan);
    output.begin(plan.stepId(), plan.size());
    final boolean toExecute = plan.size() > 0 || plan.finishedCount() > 0;
    final Outcome outcome = toExecute ? execute(plan) : skip(plan);
    complete();
    return outcome;
  }

  private void complete() {
    planOut = null;
    result.ended(clock.nanoTime());
    probes.onStepCompleted(result);
  }

  /** Gives up a plan that an error has left between schedule and update. */
  void abandonPlanOut(Throwable cause) {
    final StepPlan plan = planOut;
    if (plan != null) {
      if (!result.isFor(plan)) {
        result.begin(plan);
      }
      fail(plan, cause, StepAcknowledgement.DONE);
      complete();
    }
  }

  private Outcome skip(StepPlan plan) {
    scheduler.update(plan, output, plan.endNs());
    return Outcome.NOTHING_PLANNED;
  }

  private Outcome execute(StepPlan plan) {
    try {
      result.submitted(clock.nanoTime());
      executor.submit(plan);
      if (!executor.await(output, timeoutNs)) {
        return giveUp(plan, tooLate(plan));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return giveUp(plan, e);
    } catch (InternalError e) { // the executor's own, or that of a mapping a probe has written to
      probes.detachMapped(e);
      return fail(plan, e, StepAcknowledgement.DONE);
    } catch (Throwable e) {
      return fail(plan, e, StepAcknowledgement.DONE);
    }
    final long nowNs = clock.nanoTime();
    result.answered(nowNs);
    if (output.stepId() != plan.stepId() || output.size() != plan.size()) {
      return fail(plan, wrongStep(plan), StepAcknowledgement.DONE);
    }
    scheduler.update(plan, output, nowNs);
    return Outcome.DONE;
  }

  private IllegalStateException wrongStep(StepPlan plan) {
    return new IllegalStateException(
        "executor must answer the oldest step out: answeredStepId="
            + output.stepId()
            + ", answeredSize="
            + output.size()
            + ", stepId="
            + plan.stepId()
            + ", size="
            + plan.size());
  }

  private TimeoutException tooLate(StepPlan plan) {
    return new TimeoutException(
        "executor did not answer in time: stepId="
            + plan.stepId()
            + ", executorTimeoutNs="
            + timeoutNs);
  }

  /** The executor still owes the answer. */
  private Outcome giveUp(StepPlan plan, Exception cause) {
    lateStepId = plan.stepId();
    lateSize = plan.size();
    return fail(plan, cause, StepAcknowledgement.UNANSWERED);
  }

  private Outcome fail(StepPlan plan, Throwable cause, StepAcknowledgement acknowledgement) {
    stepsFailed++;
    lastFailure = cause;
    LOG.error("step {} failed; its requests end, the others go on", plan.stepId(), cause);
    final long nowNs = clock.nanoTime();
    result.failed(cause, nowNs);
    scheduler.abandon(plan, cause, acknowledgement, nowNs);
    return Outcome.FAILED;
  }

  /** Waits for the answer to a step given up before; nothing else can be submitted until then. */
  private boolean collectLateAnswer() {
    try {
      output.begin(lateStepId, lateSize);
      if (!executor.await(output, Math.min(timeoutNs, LATE_POLL_NS))) {
        return false;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (Throwable e) {
      LOG.warn("the late answer to step {} was a failure", lateStepId, e);
    }
    scheduler.acknowledge(lateStepId);
    lateStepId = 0;
    return true;
  }
}
