package dev.headway.api.schedule;

import dev.headway.api.config.EngineLimits;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.request.SessionInput;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.step.TransferReport;
import org.jspecify.annotations.Nullable;

/**
 * Decides, once per step, which requests compute how many tokens, and owns every request from
 * {@link #add} to its end. It gets its clock, and the probe that it notifies of every decision, at
 * construction; see {@code SchedulerFactory}.
 *
 * <p>One thread only, the engine's, unless a method says otherwise. Apart from {@link #add} nothing
 * allocates once warm. A loop is
 *
 * {@snippet :
 * StepPlan plan = scheduler.schedule();
 * executor.submit(plan);
 * output.begin(plan.stepId(), plan.size());
 * executor.await(output, timeoutNs);
 * scheduler.complete(plan, output);
 * }
 *
 * As many steps may be out, between {@code schedule} and {@code complete} or {@code fail}, as the
 * configuration's {@code pipeline.maxStepsInFlight()} says; they end in the order they were
 * scheduled. {@code SchedulerContract} in {@code headway-testkit} checks an implementation.
 */
public interface Scheduler {

  /**
   * Puts a request at its place in the waiting queue. The caller has checked that its id is unique
   * and that it can fit.
   *
   * @param listener is notified of what this request produces
   * @param arrivalNs instant of submission, of the scheduler's clock, not in the future
   * @return the request's live view, valid until it has ended
   */
  RequestView add(Request request, OutputListener listener, long arrivalNs);

  /**
   * Ends a request, waiting or running, also while a step with it is out. Its blocks are free at
   * once, or when the step that may write them is done.
   *
   * @param request what {@link #add} of this scheduler returned
   * @param reason how it ends
   * @param cause what failed, or null
   * @return whether it was alive
   * @throws IllegalArgumentException if the request is of another scheduler
   */
  boolean finish(RequestView request, FinishReason reason, @Nullable Throwable cause);

  /**
   * A hold of a request is over: it may be admitted when all are. Until then it is not scheduled,
   * and no other waits because of it.
   *
   * @param request what {@link #add} of this scheduler returned; nothing happens if it has ended
   * @param hold one of {@code request.request().holds()}, or the latest that an admission gate has
   *     given it; nothing happens if it was released before
   * @throws IllegalArgumentException if the request is of another scheduler, or the hold of another
   *     request
   */
  void release(RequestView request, Hold hold);

  /**
   * Whether it advances the grammars of requests and gives executors their constraints; an engine
   * rejects requests with a grammar otherwise.
   */
  default boolean followsGrammars() {
    return false;
  }

  /**
   * Whether it keeps sessions between their turns, which are then requests that {@link #append} and
   * {@link #endInput} are for; an engine rejects resumable requests otherwise.
   */
  default boolean keepsSessions() {
    return false;
  }

  /**
   * A session gets further input: at once if it waits for it, else behind the turn it is in and the
   * inputs it got before. Nothing happens if it has ended, or its input has.
   *
   * @param request what {@link #add} of this scheduler returned
   * @param arrivalNs instant at which the input was submitted, not in the future
   * @throws IllegalArgumentException if the request is of another scheduler, or no session
   * @throws UnsupportedOperationException if this scheduler keeps no sessions
   */
  default void append(RequestView request, SessionInput input, long arrivalNs) {
    throw new UnsupportedOperationException("this scheduler keeps no sessions: " + getClass());
  }

  /**
   * A session gets no more input: it ends with the turn that its last input begins, or at once if
   * it waits for input. Nothing happens if it has ended, or its input has.
   *
   * @param request what {@link #add} of this scheduler returned
   * @throws IllegalArgumentException if the request is of another scheduler, or no session
   * @throws UnsupportedOperationException if this scheduler keeps no sessions
   */
  default void endInput(RequestView request) {
    throw new UnsupportedOperationException("this scheduler keeps no sessions: " + getClass());
  }

  /**
   * Whether it asks the engine's KV connector about requests and tells it of them; an engine with a
   * connector is refused otherwise.
   */
  default boolean followsConnector() {
    return false;
  }

  /**
   * Transfers of the KV connector have ended between two steps. What it names and this scheduler
   * does not know, for example a load that was reported before, is counted and has no effect.
   *
   * @param report reused by the caller
   */
  default void transfersEnded(TransferReport report) {}

  /**
   * Plans the next step: stamps the plan with the instants at which scheduling began and ended, and
   * notifies the probe of it, last.
   *
   * @return the plan, empty if no request can progress; valid until its {@link #complete} or {@link
   *     #fail} returns
   * @throws IllegalStateException if as many steps are out as this scheduler allows
   */
  StepPlan schedule();

  /**
   * Processes what the executor answered: tokens are appended, requests that are done end and their
   * blocks are freed, in the order of the plan.
   *
   * <p>An invalid answer is refused before it changes state: a request whose entry failed, or has
   * an impossible token count or token id, ends with {@link FinishReason#EXECUTOR_FAILED}.
   *
   * @param plan the oldest that is out
   * @param output the answer; its {@link StepOutput#availableNs()} is the instant of what it
   *     causes, or the instant of this call if it has none
   * @throws IllegalArgumentException if the output is not for this plan
   * @throws IllegalStateException if the plan is not the oldest that is out
   */
  void complete(StepPlan plan, StepOutput output);

  /**
   * Discards a step that failed as a whole: every request in it ends with {@link
   * FinishReason#EXECUTOR_FAILED}.
   *
   * @param plan the oldest that is out
   * @param fence whether the executor can still write to the step's blocks
   * @throws IllegalStateException if the plan is not the oldest that is out
   */
  void fail(StepPlan plan, Throwable cause, BlockFence fence);

  /**
   * Releases the fence of a step failed with {@link BlockFence#HOLD}, and of those before it: no
   * step up to this one writes KV any more. So does the completion of a later step, since an
   * executor answers in order.
   */
  void releaseFence(long stepId);

  /** Whether {@link #setLimits} may be called; an engine refuses other limits otherwise. */
  default boolean takesLimits() {
    return false;
  }

  /**
   * Plans the following steps with other limits, and notifies the probe of the change; nothing
   * happens if they are as they were. To be called between two steps.
   *
   * @param limits checked by the caller: a configuration can have them
   * @throws UnsupportedOperationException if this scheduler takes none
   */
  default void setLimits(EngineLimits limits) {
    throw new UnsupportedOperationException("this scheduler takes no limits: " + getClass());
  }

  /** Pauses scheduling, in whole or in part, until it is set to {@link PauseState#RUNNING}. */
  void setPauseState(PauseState pauseState);

  /** How much of scheduling is paused. */
  PauseState pauseState();

  /**
   * Clears the prefix cache.
   *
   * <p>To be called between two steps: blocks that a step may still write stay in quarantine, so
   * with a step out the running requests are preempted and the cache is kept.
   *
   * @return whether it was done; not if blocks are held and {@code scope} forbids preemption, or if
   *     blocks are in quarantine
   */
  boolean resetPrefixCache(ResetScope scope);

  /**
   * Whether its cache keeps blocks as requests and {@link #retainPrefix} ask for; an engine rejects
   * requests with a {@link KvCacheRetention} otherwise.
   */
  default boolean retainsByPriority() {
    return false;
  }

  /**
   * Changes how long the blocks are kept that a request with this prompt would find now.
   *
   * @return tokens found, >= 0
   * @throws UnsupportedOperationException if the cache keeps all blocks alike
   */
  default int retainPrefix(Request prefix, KvCacheRetention retention) {
    throw new UnsupportedOperationException(
        "the scheduler must override retainPrefix to keep prefixes by priority: scheduler="
            + getClass().getName());
  }

  /**
   * Forgets the outputs of the executor's encoder, as after a change of its weights: requests in
   * the middle of an item have it encoded again, and the next plan tells the executor to drop what
   * it kept. To be called between two steps; nothing happens without an encoder.
   */
  default void resetEncoderCache() {}

  /** Requests running. */
  int runningCount();

  /** Requests waiting, preempted ones included. */
  int waitingCount();

  /**
   * Whether a request is running, or waits and is not held, or a finished one has not been
   * announced in a plan.
   */
  boolean hasWork();

  /**
   * Counters so far. Any thread: exact on the engine thread, elsewhere each figure is exact at some
   * moment since the engine's latest step. Must not block; allocates one object.
   */
  SchedulerStats stats();
}
