package dev.headway.scheduler.engine;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineHealth;
import dev.headway.api.engine.EngineState;
import dev.headway.api.engine.EngineStats;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorLostException;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.engine.Heartbeat.Abandoned;
import dev.headway.scheduler.engine.Heartbeat.Place;
import dev.headway.scheduler.probes.ProbeDispatcher;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The {@link Engine}: a thread-safe facade over the duty cycle. Made by {@link #builder}. */
public final class HeadwayEngine implements Engine {

  private static final Logger LOG = LoggerFactory.getLogger(HeadwayEngine.class);
  private static final long LONGEST_REST_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long INTERRUPTED_GRACE_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long STALL_REST_NS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int MOST_DOUBLINGS = 7;

  private final NanoClock clock;
  private final RequestRules rules;
  private final Intake intake;
  private final LiveRequests liveRequests;
  private final EngineCounters counters;
  private final DutyCycle dutyCycle;
  private final Scheduler scheduler;
  private final Executor executor;
  private final ProbeDispatcher probes;
  private final ExecutorFailurePolicy failurePolicy;

  private final Heartbeat heartbeat;
  private final long stallThresholdNs;
  private final long longestRestNs;
  private final StallWatch watch;

  private final AtomicReference<EngineState> state = new AtomicReference<>(EngineState.NEW);
  private final AtomicReference<@Nullable Thread> driver = new AtomicReference<>();
  private final CountDownLatch drained = new CountDownLatch(1);

  /**
   * Held by the driving thread: by the engine's dedicated thread for its whole life, by a caller in
   * step and close.
   */
  private final ReentrantLock driving = new ReentrantLock();

  /** Cycles in a row that did nothing. */
  private int cyclesInVain;

  private volatile boolean hasOwnThread;
  private volatile boolean closeRequested;

  private volatile boolean endedWithoutDriver;

  /** Whether probes and executor are left to the driving thread, should it return. */
  private volatile boolean leftOpen;

  HeadwayEngine(EngineBuilder.Parts parts) {
    clock = parts.clock();
    rules = new RequestRules(parts.config(), parts.executor().shape());
    intake = new Intake(parts.submissionQueueCapacity(), parts.config().queueLimits());
    counters = new EngineCounters(parts.kvCache());
    scheduler = parts.scheduler();
    executor = parts.executor();
    probes = parts.probes();
    failurePolicy = parts.failurePolicy();
    liveRequests = new LiveRequests(intake, counters, this::wakeUp);
    heartbeat = new Heartbeat(clock.nanoTime());
    stallThresholdNs = parts.stallThresholdNs();
    longestRestNs = Math.min(LONGEST_REST_NS, stallThresholdNs / 4); // an idle engine beats, too
    watch = new StallWatch(this::health, parts.healthListener(), stallThresholdNs);
    final StepRunner steps =
        new StepRunner(
            scheduler,
            executor,
            probes,
            clock,
            parts.executorTimeoutNs(),
            parts.config(),
            heartbeat);
    dutyCycle = new DutyCycle(intake, liveRequests, scheduler, steps, probes, clock, counters);
  }

  /** Starts an engine around an executor; every option has a default. */
  public static EngineBuilder builder(Executor executor) {
    return new EngineBuilder(executor);
  }

  @Override
  public RequestHandle submit(Request request, TokenListener listener) {
    return submitAt(request, listener, clock.nanoTime());
  }

  @Override
  public RequestHandle submit(Request request, TokenListener listener, long arrivalNs) {
    final long nowNs = clock.nanoTime();
    if (arrivalNs < 0 || arrivalNs > nowNs) {
      throw new IllegalArgumentException(
          "arrivalNs must be in [0, now]: id="
              + request.id()
              + ", arrivalNs="
              + arrivalNs
              + ", nowNs="
              + nowNs);
    }
    return submitAt(request, listener, arrivalNs);
  }

  private RequestHandle submitAt(Request request, TokenListener listener, long arrivalNs) {
    final LiveRequest live = new LiveRequest(request, listener, arrivalNs, liveRequests);
    counters.submitted.increment();
    if (!isOpen()) {
      return reject(live, RejectReason.ENGINE_CLOSED, closedMessage(live));
    }
    final RequestRules.Refusal refusal = rules.check(request);
    if (refusal != null) {
      return reject(live, refusal.reason(), refusal.message());
    }
    if (!hasOwnThread && !intake.hasLive()) {
      heartbeat.progressed(clock.nanoTime()); // the caller may not have stepped an idle engine
    }
    if (!intake.claimId(live)) {
      return reject(
          live,
          RejectReason.DUPLICATE_ID,
          "request ids must be unique among live requests: id=" + request.id());
    }
    if (!isOpen()) { // checked again: from the claim on, a drain waits for this request
      intake.releaseId(live);
      return reject(live, RejectReason.ENGINE_CLOSED, closedMessage(live));
    }
    final RequestRules.Refusal overload = intake.admit(live);
    if (overload != null) {
      intake.releaseId(live);
      return reject(live, overload.reason(), overload.message());
    }
    if (!intake.offer(live)) {
      intake.releaseId(live);
      return reject(
          live,
          RejectReason.QUEUE_FULL,
          "submission queue must have room: id="
              + request.id()
              + ", queued="
              + intake.queued()
              + ", submissionQueueCapacity="
              + intake.capacity()
              + "; retry later or raise submissionQueueCapacity");
    }
    if (isEnded() && intake.withdraw(live)) {
      intake.releaseId(live);
      return reject(live, RejectReason.ENGINE_CLOSED, closedMessage(live));
    }
    wakeUp();
    return live;
  }

  private String closedMessage(LiveRequest live) {
    return "engine must be open to take requests: id=" + live.id() + ", state=" + state.get();
  }

  private LiveRequest reject(LiveRequest live, RejectReason reason, String message) {
    counters.rejected.increment();
    if (isEnded()) {
      intake.rejections().countUnreported();
    } else {
      intake.rejections().add(new RefusedRequest(live.request, reason, message, live.arrivalNs));
    }
    live.complete(new RequestOutcome.Rejected(live.id(), reason, message));
    wakeUp();
    return live;
  }

  @Override
  public boolean step() {
    if (hasOwnThread) {
      throw new IllegalStateException(
          "the engine has a thread of its own; step() is not for callers");
    }
    requireDriver();
    if (driving.isHeldByCurrentThread()) {
      throw new IllegalStateException("a step must not be run from inside a step");
    }
    driving.lock();
    try {
      if (isEnded()) {
        throw new IllegalStateException("engine must be open to step: state=" + state.get());
      }
      return driveOnce();
    } finally {
      driving.unlock();
    }
  }

  private void requireDriver() {
    final Thread current = Thread.currentThread();
    if (!driver.compareAndSet(null, current) && !current.equals(driver.get())) {
      throw new IllegalStateException(
          "one thread must drive the engine: driver=" + driver.get() + ", current=" + current);
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
      fail(t);
      throw t;
    } finally {
      heartbeat.enter(Place.RESTING);
    }
  }

  /** One duty cycle, and the change of the engine's state that may follow from it. */
  private boolean cycle() {
    heartbeat.enter(Place.TAKING_IN);
    final boolean worked = dutyCycle.run();
    if (!worked && (dutyCycle.isIdle() || scheduler.pauseState() != PauseState.RUNNING)) {
      heartbeat.progressed(clock.nanoTime());
    }
    final Throwable executorFailure = dutyCycle.executorFailure();
    if (executorFailure != null && stopsAfter(executorFailure)) {
      end(FinishReason.EXECUTOR_FAILED, EngineState.FAILED, executorFailure);
    } else if (closeRequested) {
      end(FinishReason.SHUTDOWN, EngineState.CLOSED, null);
    } else if (isDraining() && dutyCycle.isIdle()) {
      drained.countDown();
    }
    return worked;
  }

  private boolean stopsAfter(Throwable executorFailure) {
    return failurePolicy == ExecutorFailurePolicy.STOP
        || executorFailure instanceof ExecutorLostException;
  }

  @Override
  public void start(ThreadFactory threads) {
    final Thread thread =
        Objects.requireNonNull(
            threads.newThread(this::runUntilEnded), "thread factory made no thread");
    if (!driver.compareAndSet(null, thread)) {
      throw new IllegalStateException("engine must not be driven already: driver=" + driver.get());
    }
    if (!state.compareAndSet(EngineState.NEW, EngineState.RUNNING)) {
      driver.set(null);
      throw new IllegalStateException("engine must be new to start: state=" + state.get());
    }
    hasOwnThread = true;
    try {
      thread.start();
      if (!clock.isVirtual()) {
        watch.start();
      }
    } catch (Throwable t) {
      // no thread could be created: the engine is unchanged
      hasOwnThread = false;
      driver.set(null);
      state.compareAndSet(EngineState.RUNNING, EngineState.NEW);
      throw t;
    }
  }

  private void runUntilEnded() {
    driving.lock();
    try {
      while (!isEnded()) {
        Thread.interrupted(); // only close() ends the engine; a set flag would fail every step
        if (cycle()) {
          cyclesInVain = 0;
        } else if (!isEnded()) {
          cyclesInVain++;
          rest();
        }
      }
      closeIfLeft();
    } catch (Abandoned e) {
      LOG.warn("the executor has returned after the engine was closed; it is closed now");
      closeExecutor();
    } catch (Throwable t) {
      fail(t);
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
   * A paused engine waits for an order. One that can schedule nothing waits for time to pass, which
   * only policies look at: twice as long after each empty step.
   */
  private long longestRest() {
    if (dutyCycle.isIdle() || scheduler.pauseState() != PauseState.RUNNING) {
      return longestRestNs;
    }
    return dutyCycle.awaitsLateAnswer()
        ? STALL_REST_NS
        : Math.min(longestRestNs, STALL_REST_NS << Math.min(cyclesInVain - 1, MOST_DOUBLINGS));
  }

  /** Whether a drain began after the cycle had checked. */
  private boolean owesDrained() {
    return isDraining() && drained.getCount() > 0 && dutyCycle.isIdle();
  }

  private void wakeUp() {
    final Thread thread = driver.get();
    if (hasOwnThread && thread != null) {
      LockSupport.unpark(thread);
    }
  }

  @Override
  public boolean drain(Duration timeout) throws InterruptedException {
    final long timeoutNs = TimeUnit.NANOSECONDS.convert(timeout); // saturates
    state.compareAndSet(EngineState.RUNNING, EngineState.DRAINING);
    state.compareAndSet(EngineState.NEW, EngineState.DRAINING);
    if (driving.isHeldByCurrentThread()) {
      return isEnded(); // from a listener: the engine cannot wait for itself
    }
    final Thread current = Thread.currentThread();
    if (driver.compareAndSet(null, current) || current.equals(driver.get())) {
      return driveUntilDrained(timeoutNs);
    }
    wakeUp();
    return drained.await(timeoutNs, TimeUnit.NANOSECONDS);
  }

  private boolean driveUntilDrained(long timeoutNs) throws InterruptedException {
    final long beginNs = System.nanoTime();
    while (drained.getCount() > 0) {
      final boolean worked = driveUnlessEnded();
      if (drained.getCount() > 0 && System.nanoTime() - beginNs >= timeoutNs) {
        return false;
      }
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      if (!worked && drained.getCount() > 0) {
        Thread.sleep(1);
      }
    }
    return true;
  }

  private boolean driveUnlessEnded() {
    driving.lock();
    try {
      return !isEnded() && driveOnce();
    } finally {
      driving.unlock();
    }
  }

  @Override
  public void close() {
    closeRequested = true;
    if (driving.isHeldByCurrentThread()) {
      return; // from a listener, a probe or the executor: the cycle does it
    }
    if (endedWithoutDriver) {
      return; // the driving thread may never let go
    }
    wakeUp();
    driving.lock();
    try {
      end(FinishReason.SHUTDOWN, EngineState.CLOSED, null);
    } finally {
      driving.unlock();
    }
  }

  @Override
  public boolean close(Duration timeout) throws InterruptedException {
    closeRequested = true;
    if (driving.isHeldByCurrentThread()) {
      return isEnded(); // as close()
    }
    if (endedWithoutDriver) {
      return false;
    }
    wakeUp();
    if (endWithin(TimeUnit.NANOSECONDS.convert(timeout))) { // saturates
      return true;
    }
    final Thread thread = driver.get();
    if (hasOwnThread && thread != null) {
      thread.interrupt();
      if (endWithin(INTERRUPTED_GRACE_NS)) {
        return true;
      }
    }
    endWithoutDriver();
    return false;
  }

  private boolean endWithin(long timeoutNs) throws InterruptedException {
    if (!driving.tryLock(timeoutNs, TimeUnit.NANOSECONDS)) {
      return false;
    }
    try {
      end(FinishReason.SHUTDOWN, EngineState.CLOSED, null);
    } finally {
      driving.unlock();
    }
    return true;
  }

  /** Ends what can be ended while the driving thread does not return. */
  private synchronized void endWithoutDriver() {
    if (isEnded()) {
      return;
    }
    final String holder = heldBy();
    final boolean isInExecutor = heartbeat.abandon();
    leftOpen = !isInExecutor;
    state.set(EngineState.CLOSED);
    watch.end();
    final IllegalStateException cause =
        new IllegalStateException("the engine was closed while its thread was held by " + holder);
    LOG.error("the engine ends without its thread, which does not return: heldBy={}", holder);
    if (isInExecutor) {
      dutyCycle.endAll(FinishReason.SHUTDOWN, cause);
      probes.close();
    } else {
      liveRequests.endWithoutScheduler(FinishReason.SHUTDOWN, cause, clock.nanoTime());
    }
    endedWithoutDriver = true;
    drained.countDown();
  }

  /** On the driving thread, after it has returned to an engine that was ended without it. */
  private void closeIfLeft() {
    if (leftOpen) {
      leftOpen = false;
      dutyCycle.endAll(FinishReason.SHUTDOWN, null);
      probes.close();
      closeExecutor();
    }
  }

  private void closeExecutor() {
    try {
      executor.close();
    } catch (Throwable t) {
      LOG.error("executor {} failed to close", executor.getClass().getName(), t);
    }
  }

  @Override
  public EngineHealth health() {
    final EngineState now = state.get();
    final long steps = counters.steps.get();
    if (now.compareTo(EngineState.CLOSED) >= 0) {
      return new EngineHealth(
          now == EngineState.FAILED ? EngineHealth.Status.FAILED : EngineHealth.Status.IDLE,
          now,
          steps,
          0,
          "nothing: the engine has ended");
    }
    final boolean hasWork = intake.hasLive();
    final EngineHealth.Status well =
        hasWork ? EngineHealth.Status.PROGRESSING : EngineHealth.Status.IDLE;
    final Place place = heartbeat.place();
    if (clock.isVirtual()) {
      return new EngineHealth(well, now, steps, 0, place.text);
    }
    final long sinceNs = Math.max(0, clock.nanoTime() - heartbeat.progressNs());
    return sinceNs > stallThresholdNs && (hasWork || hasOwnThread)
        ? new EngineHealth(EngineHealth.Status.STALLED, now, steps, sinceNs, heldBy())
        : new EngineHealth(well, now, steps, sinceNs, place.text);
  }

  /** What the driving thread is doing, and the first method outside the JDK that it is in. */
  private String heldBy() {
    final String place = heartbeat.place().text;
    final Thread thread = driver.get();
    if (thread == null) {
      return "its caller, who does not call step()";
    }
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (!frame.getClassName().startsWith("java.") && !frame.getClassName().startsWith("jdk.")) {
        return place + ", at " + frame;
      }
    }
    return thread.isAlive() ? place : "nothing: the thread that drove the engine has ended";
  }

  private void fail(Throwable cause) {
    LOG.error("the engine failed; every request ends", cause);
    end(FinishReason.SHUTDOWN, EngineState.FAILED, cause);
  }

  /**
   * Finishes all requests, then closes the probes and the executor. Called by the driving thread.
   */
  private void end(FinishReason reason, EngineState endState, @Nullable Throwable cause) {
    if (isEnded()) {
      return;
    }
    state.set(endState);
    watch.end();
    try {
      dutyCycle.endAll(reason, cause);
      probes.close();
      closeExecutor();
    } finally {
      drained.countDown();
    }
  }

  private boolean isOpen() {
    return state.get().compareTo(EngineState.DRAINING) < 0;
  }

  private boolean isDraining() {
    return state.get() == EngineState.DRAINING;
  }

  private boolean isEnded() {
    return state.get().compareTo(EngineState.CLOSED) >= 0;
  }

  @Override
  public CompletionStage<Boolean> resetPrefixCache(ResetScope scope) {
    Objects.requireNonNull(scope, "scope");
    final CompletableFuture<Boolean> done = new CompletableFuture<>();
    if (isEnded()) {
      done.complete(false);
      return done;
    }
    intake.command(() -> reset(scope, done));
    if (isEnded()) { // there may be no cycle left to run it
      done.complete(false);
    }
    wakeUp();
    return done;
  }

  private void reset(ResetScope scope, CompletableFuture<Boolean> done) {
    boolean wasDone = false;
    try {
      dutyCycle.endStepsOut(); // a cache that steps write to cannot be cleared
      wasDone = !isEnded() && scheduler.resetPrefixCache(scope);
    } finally {
      done.complete(wasDone);
    }
  }

  @Override
  public void setPauseState(PauseState pauseState) {
    Objects.requireNonNull(pauseState, "pauseState");
    intake.command(() -> scheduler.setPauseState(pauseState));
    wakeUp();
  }

  @Override
  public void report(JourneyEvent event) {
    Objects.requireNonNull(event, "event");
    if (isEnded()) {
      intake.journeys().countUnreported();
    } else if (probes.listensTo(ProbeInterest.JOURNEYS)) {
      intake.journeys().add(event);
      wakeUp();
    }
  }

  @Override
  public EngineState state() {
    return state.get();
  }

  @Override
  public EngineStats stats() {
    // requests end within a step, and what runs and waits is published after it
    final long alive = intake.alive();
    return EngineStats.builder()
        .submitted(counters.submitted.sum())
        .rejected(counters.rejected.sum())
        .finished(counters.finished.get())
        .waiting(Math.min(alive, counters.waiting.get()))
        .running(Math.min(alive, counters.running.get()))
        .steps(counters.steps.get())
        .stepsFailed(counters.stepsFailed.get())
        .probesDetached(probes.detachedCount())
        .listenersFailed(counters.listenersFailed.get())
        .rejectionsUnreported(intake.rejections().unreported())
        .journeyEventsUnreported(intake.journeys().unreported())
        .scheduler(scheduler.stats()) // behind a counter that the engine thread publishes last
        .kvCache(counters.kvCache.snapshot())
        .build();
  }

  @Override
  public NanoClock clock() {
    return clock;
  }
}
