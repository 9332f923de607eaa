package dev.headway.scheduler.engine;

import dev.headway.api.executor.Executor;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.schedule.BlockFence;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.engine.Heartbeat.Abandoned;
import dev.headway.scheduler.engine.Heartbeat.Place;
import dev.headway.scheduler.probes.ProbeDispatcher;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs steps: schedule, execute, complete, notify the probe. With a pipeline the next steps are
 * planned and submitted before the oldest is answered. A step that the executor fails, or does not
 * answer in time, ends only the requests in it. Engine thread only.
 */
final class StepRunner {

  /** A discarded step whose answer the executor has yet to return. */
  private record LateAnswer(long stepId, int size) {}

  /** Outcome of a turn. */
  enum Outcome {
    /** Requests have made progress, or the executor was notified of ended ones. */
    DONE,
    /** No request could progress: the plan was empty, and no step is out. */
    NOTHING_PLANNED,
    /** The executor failed. */
    FAILED,
    /** The answer to an earlier step is outstanding; nothing was planned. */
    EXECUTOR_LATE
  }

  private static final Logger LOG = LoggerFactory.getLogger(StepRunner.class);

  /**
   * Longest wait at a time for a late answer: cancellations, deadlines and close are processed in
   * between.
   */
  private static final long LATE_POLL_NS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Scheduler scheduler;
  private final Executor executor;
  private final @Nullable KvConnector connector;
  private final ProbeDispatcher probes;
  private final SchedulerEvents events;
  private final NanoClock clock;
  private final long timeoutNs;
  private final int maxStepsInFlight;
  private final Heartbeat heartbeat;
  private final Deque<OutstandingStep> inFlight = new ArrayDeque<>();
  private final Deque<OutstandingStep> spare = new ArrayDeque<>();

  /** Discarded before the executor has answered them, oldest first. */
  private final Deque<LateAnswer> late = new ArrayDeque<>();

  /** The newest step of those that were given up together with these. */
  private long givenUpThrough;

  private final StepOutput discarded = new StepOutput();

  /** The step that is being completed or failed. */
  private @Nullable OutstandingStep current;

  /** Whether a call of {@code schedule} has not returned. */
  private boolean planning;

  private long stepsRun;
  private long stepsFailed;
  private @Nullable Throwable lastFailure;

  StepRunner(EngineBuilder.Parts parts, Heartbeat heartbeat) {
    this.heartbeat = heartbeat;
    scheduler = parts.scheduler();
    executor = parts.executor();
    connector = parts.connector();
    probes = parts.probes();
    events = new SchedulerEvents(probes);
    clock = parts.clock();
    timeoutNs = parts.executorTimeoutNs();
    maxStepsInFlight = parts.config().pipeline().maxStepsInFlight();
  }

  /** Steps planned so far. */
  long stepsRun() {
    return stepsRun;
  }

  /** Steps that the executor failed or did not answer in time. */
  long stepsFailed() {
    return stepsFailed;
  }

  /** The cause of the latest failed step, or null. */
  @Nullable Throwable lastFailure() {
    return lastFailure;
  }

  /** Whether a step is out. */
  boolean hasStepsOut() {
    return !inFlight.isEmpty();
  }

  /** Whether the answer to a step that was given up is outstanding. */
  boolean awaitsLateAnswer() {
    return !late.isEmpty();
  }

  /** Plans and submits a step, then ends the oldest one if as many are out as may be. */
  Outcome run() {
    if (!late.isEmpty() && !collectLateAnswers()) {
      return Outcome.EXECUTOR_LATE;
    }
    final OutstandingStep step = plan();
    if (step.needsExecutor()) {
      if (inFlight.size() > 1
          && step.plan().constraints().awaitOutputs()
          && !endThoseBefore(step)) {
        return Outcome.FAILED;
      }
      submit(step);
      if (step.failure != null) { // what is planned next would build on what is not computed
        return endThoseBefore(step) ? end(step) : Outcome.FAILED;
      }
    }
    if (inFlight.size() < maxStepsInFlight && step.submitted) {
      return Outcome.DONE;
    }
    return endOldest();
  }

  /** Ends every step that is out. */
  void endAllOut() {
    while (!inFlight.isEmpty()) {
      endOldest();
    }
  }

  private OutstandingStep plan() {
    planning = true;
    heartbeat.enter(Place.PLANNING);
    final StepPlan plan = scheduler.schedule();
    planning = false;
    return begin(plan);
  }

  private OutstandingStep begin(StepPlan plan) {
    final OutstandingStep step = spare.isEmpty() ? new OutstandingStep() : spare.removeLast();
    step.begin(plan);
    inFlight.addLast(step);
    stepsRun++;
    return step;
  }

  private void submit(OutstandingStep step) {
    try {
      step.submitNs = clock.nanoTime();
      heartbeat.enter(Place.IN_EXECUTOR);
      try {
        if (connector != null) {
          connector.planned(step.plan());
        }
        executor.submit(step.plan());
      } finally {
        heartbeat.leaveExecutor();
      }
      step.submitted = true;
    } catch (Abandoned e) {
      throw e;
    } catch (InternalError e) { // the executor's own, or that of a mapping a probe has written to
      probes.detachMapped(e);
      step.failure = e;
    } catch (Throwable e) {
      step.failure = e;
    }
  }

  /** Ends the oldest step, and those behind it that need no answer. */
  private Outcome endOldest() {
    Outcome outcome = end(inFlight.getFirst());
    while (outcome != Outcome.FAILED && !inFlight.isEmpty() && !inFlight.getFirst().submitted) {
      final Outcome next = end(inFlight.getFirst());
      outcome = next == Outcome.NOTHING_PLANNED ? outcome : next;
    }
    return outcome;
  }

  /** Ends the steps before one that is not submitted yet; returns whether it is still to be. */
  private boolean endThoseBefore(OutstandingStep step) {
    while (!inFlight.isEmpty() && inFlight.getFirst() != step) {
      end(inFlight.getFirst());
    }
    return !inFlight.isEmpty();
  }

  private Outcome end(OutstandingStep step) {
    if (step.failure != null) {
      return fail(step, step.failure, BlockFence.RELEASE);
    }
    if (!step.submitted) {
      return complete(step, outcomeOfEmpty(step.plan()));
    }
    try {
      if (!await(step.output, timeoutNs)) {
        final Throwable known = step.output.unansweredBecause();
        return giveUpAll(known == null ? tooLate(step.plan()) : known);
      }
    } catch (Abandoned e) {
      throw e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return giveUpAll(e);
    } catch (InternalError e) {
      probes.detachMapped(e);
      return fail(step, e, BlockFence.RELEASE);
    } catch (Throwable e) {
      return fail(step, e, BlockFence.RELEASE);
    }
    final long nowNs = clock.nanoTime();
    step.output.availableAt(nowNs);
    return step.isAnswered()
        ? complete(step, Outcome.DONE)
        : fail(step, wrongStep(step), BlockFence.RELEASE);
  }

  private boolean await(StepOutput output, long longestNs) throws InterruptedException {
    heartbeat.enter(Place.IN_EXECUTOR);
    try {
      return executor.await(output, longestNs);
    } finally {
      heartbeat.leaveExecutor();
    }
  }

  /** A step that only preempted has freed blocks: the next one can use them. */
  private static Outcome outcomeOfEmpty(StepPlan plan) {
    return plan.preempted().size() > 0 ? Outcome.DONE : Outcome.NOTHING_PLANNED;
  }

  private Outcome complete(OutstandingStep step, Outcome outcome) {
    current = step;
    scheduler.complete(step.plan(), step.output);
    if (step.plan().size() > 0) {
      heartbeat.progressed(step.output.availableNs());
    }
    finish(step);
    return outcome;
  }

  private void finish(OutstandingStep step) {
    current = null;
    inFlight.removeFirst();
    events.stepCompleted(
        step.plan(),
        step.output,
        step.submitNs,
        step.output.availableNs(),
        clock.nanoTime(),
        step.cause);
    spare.addLast(step);
  }

  /**
   * Discards the step whose planning or completion was aborted by an error. A plan that the probes
   * were notified of is out, also if {@code schedule} threw after that.
   */
  void failBrokenStep(Throwable cause) {
    OutstandingStep broken = current;
    if (planning) {
      planning = false;
      final StepPlan announced = probes.latestPlan();
      if (announced == null || probes.latestStepId() != stepsRun + 1) {
        return;
      }
      broken = begin(announced);
    }
    if (broken == null) {
      return;
    }
    if (broken == inFlight.getFirst()) {
      fail(broken, cause, BlockFence.RELEASE);
    } else {
      broken.failure = cause; // it is ended after the steps before it
      current = null;
    }
  }

  /**
   * The answers to all steps in flight are still outstanding; they arrive in order. A step among
   * them that the executor never got writes nothing, but to release its blocks says that those
   * before it are over.
   */
  private Outcome giveUpAll(Throwable cause) {
    while (!inFlight.isEmpty()) {
      final OutstandingStep step = inFlight.getFirst();
      if (step.submitted) {
        late.addLast(new LateAnswer(step.plan().stepId(), step.plan().size()));
      }
      givenUpThrough = step.plan().stepId();
      fail(step, cause, late.isEmpty() ? BlockFence.RELEASE : BlockFence.HOLD);
    }
    return Outcome.FAILED;
  }

  private Outcome fail(OutstandingStep step, Throwable cause, BlockFence fence) {
    stepsFailed++;
    lastFailure = cause;
    final StepPlan plan = step.plan();
    LOG.error("step {} failed; its requests end, the others go on", plan.stepId(), cause);
    final long nowNs = clock.nanoTime();
    step.cause = cause;
    step.output.availableAt(nowNs);
    current = step;
    scheduler.fail(plan, cause, fence);
    heartbeat.progressed(nowNs); // its requests have ended
    finish(step);
    return Outcome.FAILED;
  }

  /** Waits for answers to steps discarded before; nothing else can be submitted until then. */
  private boolean collectLateAnswers() {
    while (!late.isEmpty()) {
      final LateAnswer answer = late.getFirst();
      if (!collect(answer)) {
        return false;
      }
      late.removeFirst();
      scheduler.releaseFence(late.isEmpty() ? givenUpThrough : answer.stepId());
    }
    return true;
  }

  private boolean collect(LateAnswer answer) {
    try {
      discarded.begin(answer.stepId(), answer.size());
      return await(discarded, Math.min(timeoutNs, LATE_POLL_NS));
    } catch (Abandoned e) {
      throw e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (Throwable e) {
      LOG.warn("the late answer to step {} was a failure", answer.stepId(), e);
      return true;
    }
  }

  private static IllegalStateException wrongStep(OutstandingStep step) {
    return new IllegalStateException(
        "executor must answer the oldest step out: answeredStepId="
            + step.output.stepId()
            + ", answeredSize="
            + step.output.size()
            + ", stepId="
            + step.plan().stepId()
            + ", size="
            + step.plan().size());
  }

  private TimeoutException tooLate(StepPlan plan) {
    return new TimeoutException(
        "executor did not answer in time: stepId="
            + plan.stepId()
            + ", executorTimeoutNs="
            + timeoutNs);
  }
}
