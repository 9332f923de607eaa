package dev.headway.api.schedule;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import org.jspecify.annotations.Nullable;

/**
 * Decides, once per step, which requests compute how many tokens, and owns every request from
 * {@link #add} to its end.
 *
 * <p>One thread only, the engine's. Apart from {@link #add} nothing allocates once warm. A loop is
 *
 * {@snippet :
 * StepPlan plan = scheduler.schedule(clock.nanoTime());
 * scheduler.planned(plan, clock.nanoTime());
 * executor.submit(plan);
 * executor.await(output, timeoutNs);
 * scheduler.update(plan, output, clock.nanoTime());
 * }
 *
 * As many steps may be between {@code schedule} and {@code update} as the configuration's {@code
 * pipeline.maxStepsInFlight()} says; they are updated in order.
 */
public interface Scheduler {

  /**
   * Puts a request at its place in the waiting queue. The caller has made sure that its id is
   * unique and that it can fit.
   *
   * @param listener hears what this request produces
   * @param arrivalNs instant of submission
   * @param nowNs instant of this call, >= arrivalNs
   * @return the request's live view, valid until it has ended
   */
  RequestView add(Request request, OutputListener listener, long arrivalNs, long nowNs);

  /**
   * Ends a request, wherever it stands, also between {@link #schedule} and {@link #update}. Its
   * blocks are free at once, or when the step that may write them is acknowledged.
   *
   * @param reason how it ends
   * @param cause what failed, or null
   * @return whether it was alive
   */
  boolean finish(RequestView request, FinishReason reason, @Nullable Throwable cause, long nowNs);

  /**
   * Plans the next step.
   *
   * @param nowNs instant at which scheduling begins
   * @return the plan, empty if nobody can progress; valid until its {@link #update} returns
   * @throws IllegalStateException if as many steps are out as this scheduler allows
   */
  default StepPlan schedule(long nowNs) {
    return schedule(nowNs, PrefillGate.OPEN);
  }

  /**
   * Plans the next step.
   *
   * @param nowNs instant at which scheduling begins
   * @param prefills whether prompts may be computed beside decodes in this step
   * @return as {@link #schedule(long)}
   * @throws IllegalStateException if as many steps are out as this scheduler allows
   */
  StepPlan schedule(long nowNs, PrefillGate prefills);

  /**
   * Stamps the plan with the instant at which its scheduling ended and tells the probe. Called
   * once, right after {@link #schedule}.
   */
  void planned(StepPlan plan, long nowNs);

  /**
   * Takes over what the executor answered: tokens are appended, requests that are done end and
   * their blocks are freed, in the order of the plan. Steps are updated in the order they were
   * scheduled.
   *
   * <p>Nonsense is refused before it touches state: a request whose entry failed, or has a token
   * count or token id that cannot be, ends with {@link FinishReason#EXECUTOR_FAILED}.
   *
   * @param nowNs instant at which the output was available
   */
  void update(StepPlan plan, StepOutput output, long nowNs);

  /**
   * Proposes draft tokens for a request's next step, in place of those it had. Ignored for a
   * request that has ended; a request in the middle of its prompt keeps none. Drafts in a {@link
   * StepOutput} need no call of their own.
   *
   * @param tokenIds the drafts, in order, from the array's start
   * @param count how many of them count
   */
  void proposeDrafts(RequestView request, int[] tokenIds, int count);

  /** Holds scheduling back, in whole or in part, until it is set to {@link PauseState#RUNNING}. */
  void setPauseState(PauseState pauseState);

  /** Whether scheduling is held back. */
  PauseState pauseState();

  /**
   * Gives up a step that failed as a whole: every request in it ends with {@link
   * FinishReason#EXECUTOR_FAILED}.
   *
   * @param acknowledgement whether the executor can still write to the step's blocks
   */
  void abandon(StepPlan plan, Throwable cause, StepAcknowledgement acknowledgement, long nowNs);

  /** Says that a step abandoned as unanswered is done after all: its blocks can be reused. */
  void acknowledge(long stepId);

  /**
   * Forgets all cached prefixes.
   *
   * <p>To be called between two steps: blocks that a step may still write stay in quarantine, so
   * with a step out the running requests are preempted and the cache is kept.
   *
   * @return whether it was done; not if blocks are held and {@code scope} forbids preemption, or if
   *     blocks are in quarantine
   */
  boolean resetPrefixCache(ResetScope scope, long nowNs);

  /** Requests running. */
  int runningCount();

  /** Requests waiting, preempted ones included. */
  int waitingCount();

  /**
   * Requests that scheduling can still finish: running and waiting ones; only the running ones
   * while no new ones are admitted; none while everything is held back.
   */
  int unfinishedCount();

  /**
   * Whether a request is waiting or running, or a finished one has not been announced in a plan.
   */
  boolean hasWork();

  /** Counters so far. Allocates one record. */
  SchedulerStats stats();
}
