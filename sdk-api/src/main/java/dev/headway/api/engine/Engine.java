package dev.headway.api.engine;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.config.EngineLimits;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.Request;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.time.NanoClock;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadFactory;

/**
 * Takes requests from any thread and runs them, step by step, on one thread.
 *
 * <p>Either the engine gets a thread ({@link #start}) or the caller drives it ({@link #step}),
 * always from the same thread.
 */
public interface Engine extends AutoCloseable {

  /**
   * Submits a request. Never blocks. What cannot be accepted is answered by a handle that is
   * already done with {@link RequestOutcome.Rejected}: no request is dropped silently. Any thread.
   *
   * @param listener is notified of tokens and the end on the engine thread, of a rejection on the
   *     calling thread
   */
  RequestHandle submit(Request request, TokenListener listener);

  /**
   * Submits a request that arrived earlier: in a replay, or in a server that stamps requests before
   * it tokenises them.
   *
   * @param arrivalNs instant of its arrival, of the engine's clock, in [0, now]
   * @throws IllegalArgumentException if the instant is negative or in the future
   */
  RequestHandle submit(Request request, TokenListener listener, long arrivalNs);

  /** Submits a request without a listener; its tokens are in the outcome. Any thread. */
  default RequestHandle submit(Request request) {
    return submit(request, TokenListener.NONE);
  }

  /**
   * Runs one duty cycle: takes in submissions and cancellations, plans, executes, updates. For
   * callers that drive the engine; virtual time advances only here.
   *
   * @return whether there was anything to do
   * @throws IllegalStateException if the engine has its own thread, is stepped by another thread or
   *     from inside a step, or is closed
   */
  boolean step();

  /**
   * The next instant of the engine's clock at which it has something to do though nothing happens:
   * a request's timeout, or the end of a hold. Where time is virtual, it must not be advanced
   * further when {@link #step} has nothing to do. On the thread that drives the engine.
   *
   * @return {@link dev.headway.api.Absent#ABSENT} if there is none
   */
  default long nextDeadlineNs() {
    return ABSENT;
  }

  /**
   * Starts the engine's dedicated thread, which waits without spinning while there is nothing to
   * do. Only {@link #close} ends it: an interrupt fails at most the step that is out.
   *
   * @throws IllegalStateException if it was started, stepped, drained or closed before
   */
  void start(ThreadFactory threads);

  /**
   * Rejects new requests and finishes those accepted; sessions get no more input. Any thread; waits
   * for the driving thread, or drives the engine if no other thread does. Called from a listener,
   * it returns without waiting.
   *
   * @param timeout longest wait, of the caller's real time
   * @return whether all had ended in time; otherwise the engine continues to drain
   * @throws InterruptedException if the caller is interrupted while waiting
   */
  boolean drain(Duration timeout) throws InterruptedException;

  /**
   * Ends the engine: requests still alive end with {@code SHUTDOWN}, probes and the executor are
   * closed, no handle is left undone. Idempotent. Any thread; returns when all that is done. From a
   * listener, a probe or the executor it returns at once and takes effect after the step.
   */
  @Override
  void close();

  /**
   * As {@link #close()}, and returns whatever executor, listeners, probes and policies do. If the
   * engine has not ended within {@code timeout}, its thread is interrupted; if that does not help
   * within 100 ms, the engine is taken away from it: every handle is done, and probes are closed
   * unless the thread is in one of them, or in a listener, a policy or the scheduler; then it
   * closes them should it ever come back. Idempotent. Any thread.
   *
   * @return whether the engine ended in order
   * @throws InterruptedException if the caller is interrupted while waiting; the engine then closes
   *     as after {@link #close()} from a listener
   */
  boolean close(Duration timeout) throws InterruptedException;

  /** Whether requests make progress, and what holds them if not. Any thread; never blocks. */
  EngineHealth health();

  /** Asks for a prefix-cache reset between two steps; completes with whether it was done. */
  CompletionStage<Boolean> resetPrefixCache(ResetScope scope);

  /**
   * Asks for a change, between two steps, of how long the blocks are kept that a request with this
   * prompt would find: to pin a prefix, to let it go, or to have it given up first. The prompt's
   * last token is never looked for. Any thread.
   *
   * @param prefix its prompt, salt, adapter and items count; it is not submitted
   * @return completes with the tokens found, 0 after the end; exceptionally with {@link
   *     UnsupportedOperationException} if the cache keeps all blocks alike
   */
  CompletionStage<Integer> retainPrefix(Request prefix, KvCacheRetention retention);

  /**
   * Pauses scheduling from the next step on, in whole or in part, or resumes it. Requests are still
   * accepted, cancelled and timed out meanwhile; {@link #drain} waits until it is resumed. Any
   * thread.
   */
  void setPauseState(PauseState pauseState);

  /**
   * The limits that hold from the next step on: those it was built with, or the latest set. Any
   * thread.
   */
  EngineLimits limits();

  /**
   * Changes limits from the next step on; those of the queue hold for requests that are submitted
   * from now on. None is preempted or ended because a limit is lower than before: what runs goes
   * on. Probes are notified of the old and the new limits. Any thread; of several calls the last
   * counts.
   *
   * @throws IllegalArgumentException naming the limit, its value and the constraint, if a
   *     configuration with it could not be built, such as one above the capacities of the executor;
   *     nothing is changed
   * @throws UnsupportedOperationException if the engine's scheduler takes no other limits
   */
  void setLimits(EngineLimits limits);

  /**
   * Reports a stage of a request's journey through the server, such as its arrival, to the probes.
   * Never blocks; what comes after the end, or in larger numbers than the engine thread takes in,
   * is counted in {@code EngineStats.journeyEventsUnreported} and dropped. Costs nothing without a
   * probe. Any thread.
   */
  void report(JourneyEvent event);

  /** Lifecycle state of the engine. Any thread. */
  EngineState state();

  /** Counters so far, of the engine, its scheduler and its KV cache. Any thread; never blocks. */
  EngineStats stats();

  /** The engine's clock. */
  NanoClock clock();
}
