package dev.headway.scheduler.engine;

import dev.headway.api.engine.EngineState;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorLostException;
import dev.headway.api.request.FinishReason;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.engine.Heartbeat.Abandoned;
import dev.headway.scheduler.engine.Heartbeat.Place;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Runs the cycles of an engine one at a time: on a thread of its own, which rests when there is
 * nothing to do, or on that of a caller. Any thread may call; one of them drives.
 */
final class EngineDriver {

  private static final long LONGEST_REST_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long INTERRUPTED_GRACE_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long STALL_REST_NS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int MOST_DOUBLINGS = 7;

  private final EngineStatus status;
  private final EngineEnd end;
  private final Intake intake;
  private final LiveRequests liveRequests;
  private final DutyCycle dutyCycle;
  private final Scheduler scheduler;
  private final Executor executor;
  private final NanoClock clock;
  private final ExecutorFailurePolicy failurePolicy;
  private final Heartbeat heartbeat;
  private final StallWatch watch;
  private final long longestRestNs;

  /**
   * Held by the driving thread: by the engine's dedicated thread for its whole life, by a caller in
   * step and close.
   */
  private final ReentrantLock driving = new ReentrantLock();

  /** Cycles in a row that did nothing. */
  private int cyclesInVain;

  private volatile boolean closeRequested;

  EngineDriver(
      EngineStatus status,
      EngineEnd end,
      Intake intake,
      LiveRequests liveRequests,
      DutyCycle dutyCycle,
      EngineBuilder.Parts parts,
      Heartbeat heartbeat,
      StallWatch watch) {
    this.status = status;
    this.end = end;
    this.intake = intake;
    this.liveRequests = liveRequests;
    this.dutyCycle = dutyCycle;
    this.heartbeat = heartbeat;
    this.watch = watch;
    scheduler = parts.scheduler();
    executor = parts.executor();
    clock = parts.clock();
    failurePolicy = parts.failurePolicy();
    longestRestNs =
        Math.min(LONGEST_REST_NS, parts.stallThresholdNs() / 4); // an idle one beats too
  }

  boolean step() {
    if (status.hasOwnThread()) {
      throw new IllegalStateException(
          "the engine has a thread of its own; step() is not for callers");
    }
    requireDriver();
    if (driving.isHeldByCurrentThread()) {
      throw new IllegalStateException("a step must not be run from inside a step");
    }
    driving.lock();
    try {
      if (status.isEnded()) {
        throw new IllegalStateException("engine must be open to step: state=" + status.state());
      }
      return driveOnce();
    } finally {
      driving.unlock();
    }
  }

  private void requireDriver() {
    final Thread current = Thread.currentThread();
    if (!status.claimDriver(current)) {
      throw new IllegalStateException(
          "one thread must drive the engine: driver=" + status.driver() + ", current=" + current);
    }
  }

  /** Runs a cycle; anything it throws ends the engine. */
  private boolean driveOnce() {
    try {
      return cycle();
    } catch (Abandoned e) {
      executor.close();
      throw new IllegalStateException(e.getMessage(), e);
    } catch (Throwable t) {
      end.fail(t);
      throw t;
    } finally {
      heartbeat.enter(Place.RESTING);
    }
  }

  /** One duty cycle, and the change of the engine's state that may follow from it. */
  private boolean cycle() {
    heartbeat.enter(Place.TAKING_IN);
    if (status.isDraining()) {
      liveRequests.endInputs();
    }
    final boolean worked = dutyCycle.run();
    if (!worked && awaitsOthers()) {
      heartbeat.progressed(clock.nanoTime());
    }
    final Throwable executorFailure = dutyCycle.executorFailure();
    if (executorFailure != null && stopsAfter(executorFailure)) {
      end.end(FinishReason.EXECUTOR_FAILED, EngineState.FAILED, executorFailure);
    } else if (closeRequested) {
      end.end(FinishReason.SHUTDOWN, EngineState.CLOSED, null);
    } else if (status.isDraining() && dutyCycle.isIdle()) {
      end.drained();
    }
    return worked;
  }

  /**
   * Whether only other threads can give it work: it is idle or paused, or all requests are held.
   */
  private boolean awaitsOthers() {
    return !dutyCycle.hasWork() || scheduler.pauseState() != PauseState.RUNNING;
  }

  private boolean stopsAfter(Throwable executorFailure) {
    return failurePolicy == ExecutorFailurePolicy.STOP
        || executorFailure instanceof ExecutorLostException;
  }

  void start(ThreadFactory threads) {
    final Thread thread =
        Objects.requireNonNull(
            threads.newThread(this::runUntilEnded), "thread factory made no thread");
    if (!status.takeThread(thread)) {
      throw new IllegalStateException(
          "engine must not be driven already: driver=" + status.driver());
    }
    if (!status.change(EngineState.NEW, EngineState.RUNNING)) {
      status.dropDriver();
      throw new IllegalStateException("engine must be new to start: state=" + status.state());
    }
    status.setOwnThread(true);
    try {
      thread.start();
      if (!clock.isVirtual()) {
        watch.start();
      }
    } catch (Throwable t) {
      // no thread could be created: the engine is unchanged
      status.setOwnThread(false);
      status.dropDriver();
      status.change(EngineState.RUNNING, EngineState.NEW);
      throw t;
    }
  }

  private void runUntilEnded() {
    driving.lock();
    try {
      while (!status.isEnded()) {
        Thread.interrupted(); // only close() ends the engine; a set flag would fail every step
        if (cycle()) {
          cyclesInVain = 0;
        } else if (!status.isEnded()) {
          cyclesInVain++;
          rest();
        }
      }
      end.closeIfLeft();
    } catch (Abandoned e) {
      end.closeAbandonedExecutor();
    } catch (Throwable t) {
      end.fail(t);
    } finally {
      driving.unlock();
    }
  }

  /**
   * Parks until a submission or command arrives, a deadline is due, or the longest park time is
   * over.
   */
  private void rest() {
    if (dutyCycle.isIdle()) {
      dutyCycle.idle();
    }
    heartbeat.enter(Place.RESTING);
    final long restNs = Math.min(longestRest(), liveRequests.nextDeadlineNs() - clock.nanoTime());
    if (restNs > 0 && intake.isEmpty() && !closeRequested && !owesDrained()) {
      LockSupport.parkNanos(this, restNs);
    }
  }

  /**
   * A paused engine waits for an order, held requests for their release. One that can schedule
   * nothing waits for time to pass, which only policies look at: twice as long after each empty
   * step.
   */
  private long longestRest() {
    if (awaitsOthers()) {
      return longestRestNs;
    }
    return dutyCycle.awaitsLateAnswer()
        ? STALL_REST_NS
        : Math.min(longestRestNs, STALL_REST_NS << Math.min(cyclesInVain - 1, MOST_DOUBLINGS));
  }

  /** Whether a drain began after the cycle had checked. */
  private boolean owesDrained() {
    return status.isDraining() && !end.isDrained() && dutyCycle.isIdle();
  }

  boolean drain(Duration timeout) throws InterruptedException {
    final long timeoutNs = TimeUnit.NANOSECONDS.convert(timeout); // saturates
    status.change(EngineState.RUNNING, EngineState.DRAINING);
    status.change(EngineState.NEW, EngineState.DRAINING);
    if (driving.isHeldByCurrentThread()) {
      return status.isEnded(); // from a listener: the engine cannot wait for itself
    }
    final Thread current = Thread.currentThread();
    if (status.claimDriver(current)) {
      return driveUntilDrained(timeoutNs);
    }
    status.wakeUp();
    return end.awaitDrained(timeoutNs);
  }

  private boolean driveUntilDrained(long timeoutNs) throws InterruptedException {
    final long beginNs = System.nanoTime();
    while (!end.isDrained()) {
      final boolean worked = driveUnlessEnded();
      if (end.isDrained()) {
        return true; // and if it was interrupted meanwhile, it still is
      }
      if (System.nanoTime() - beginNs >= timeoutNs) {
        return false;
      }
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      if (!worked) {
        Thread.sleep(1);
      }
    }
    return true;
  }

  private boolean driveUnlessEnded() {
    driving.lock();
    try {
      return !status.isEnded() && driveOnce();
    } finally {
      driving.unlock();
    }
  }

  void close() {
    closeRequested = true;
    if (driving.isHeldByCurrentThread()) {
      return; // from a listener, a probe or the executor: the cycle does it
    }
    if (end.wasWithoutDriver()) {
      return; // the driving thread may never let go
    }
    status.wakeUp();
    driving.lock();
    try {
      end.end(FinishReason.SHUTDOWN, EngineState.CLOSED, null);
    } finally {
      driving.unlock();
    }
  }

  boolean close(Duration timeout) throws InterruptedException {
    closeRequested = true;
    if (driving.isHeldByCurrentThread()) {
      return status.isEnded(); // as close()
    }
    if (end.wasWithoutDriver()) {
      return false;
    }
    status.wakeUp();
    if (endWithin(TimeUnit.NANOSECONDS.convert(timeout))) { // saturates
      return true;
    }
    final Thread thread = status.driver();
    if (status.hasOwnThread() && thread != null) {
      thread.interrupt();
      if (endWithin(INTERRUPTED_GRACE_NS)) {
        return true;
      }
    }
    end.endWithoutDriver();
    return false;
  }

  private boolean endWithin(long timeoutNs) throws InterruptedException {
    if (!driving.tryLock(timeoutNs, TimeUnit.NANOSECONDS)) {
      return false;
    }
    try {
      end.end(FinishReason.SHUTDOWN, EngineState.CLOSED, null);
    } finally {
      driving.unlock();
    }
    return true;
  }
}
