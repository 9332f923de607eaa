package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.assertHealthy;
import static dev.headway.scheduler.engine.Engines.assertHealthyThread;
import static dev.headway.scheduler.engine.Engines.await;
import static dev.headway.scheduler.engine.Engines.builder;
import static dev.headway.scheduler.engine.Engines.daemon;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.engine;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.finished;
import static dev.headway.scheduler.engine.Engines.rejected;
import static dev.headway.scheduler.engine.Engines.request;
import static dev.headway.scheduler.engine.Engines.started;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineState;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.Request;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.Scheduler;
import dev.headway.scheduler.engine.FaultyScheduler.Point;
import dev.headway.scheduler.time.VirtualClock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Start, step, drain and close, by the right thread and by the wrong one. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LifecycleTest {

  private static final Duration LONG = Duration.ofSeconds(20);

  private final ScriptedExecutor executor = executor();

  @Test
  void shouldRefuseToStepByASecondThread() throws Exception {
    final Engine engine = engine(executor);
    final AtomicReference<Throwable> thrown = new AtomicReference<>();
    engine.step();

    final Thread other = Thread.ofPlatform().name("other").unstarted(engine::step);
    other.setUncaughtExceptionHandler((thread, what) -> thrown.set(what));
    final String otherName = other.toString();
    other.start();
    other.join();

    assertThat(thrown.get())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "one thread must drive the engine: driver=%s, current=%s",
            Thread.currentThread(), otherName);
    assertHealthy(engine);
  }

  @Test
  void shouldRefuseToStepAnEngineThatHasItsOwnThread() {
    try (Engine engine = started(executor)) {
      assertThatThrownBy(engine::step)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the engine has a thread of its own; step() is not for callers");
      assertHealthyThread(engine);
    }
  }

  @Test
  void shouldRefuseAStepInsideAStep() {
    final Engine engine = engine(executor);
    final AtomicReference<Throwable> thrown = new AtomicReference<>();
    final RequestHandle handle =
        engine.submit(
            request("a", 2),
            new TokenListener() {
              @Override
              public void onDone(RequestOutcome outcome) {
                try {
                  engine.step();
                } catch (IllegalStateException e) {
                  thrown.set(e);
                }
              }
            });

    stepUntilIdle(engine);

    assertThat(thrown.get()).hasMessage("a step must not be run from inside a step");
    assertThat(endOf(handle)).isEqualTo("LENGTH/2");
    assertHealthy(engine);
  }

  /** A caller that waits for its handles may look at the figures before the step is over. */
  @Test
  void shouldCountNothingThatHasEndedWithinTheStep() {
    final Engine engine = engine(executor);
    final List<Long> alive = new ArrayList<>();
    for (String id : List.of("a", "b", "c")) {
      engine.submit(
          request(id, 2),
          new TokenListener() {
            @Override
            public void onDone(RequestOutcome outcome) {
              alive.add(engine.stats().running() + engine.stats().waiting());
            }
          });
    }

    while (engine.step()) {
      continue;
    }

    assertThat(alive).containsExactly(2L, 1L, 0L);
    assertThat(engine.stats().finished()).isEqualTo(3);
  }

  @Test
  void shouldRefuseAStepAfterClose() {
    final Engine engine = engine(executor);
    engine.close();

    assertThatThrownBy(engine::step)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("engine must be open to step: state=CLOSED");
  }

  /** A null that went further would stop admissions for good, or the engine. */
  @Test
  void shouldRefuseNullsAndServeOn() {
    final Engine engine = engine(executor);

    assertThatThrownBy(() -> engine.setPauseState(null)).hasMessage("pauseState");
    assertThatThrownBy(() -> engine.resetPrefixCache(null)).hasMessage("scope");
    assertThatThrownBy(() -> engine.report(null)).hasMessage("event");
    assertThatThrownBy(() -> engine.drain(null)).isInstanceOf(NullPointerException.class);

    assertThat(engine.state()).isEqualTo(EngineState.NEW);
    assertHealthy(engine);
  }

  @Test
  void shouldRefuseToStartTwice() {
    try (Engine engine = started(executor)) {
      assertThatThrownBy(() -> engine.start(Engines::daemon))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("engine must not be driven already: driver=Thread[");
      assertThat(engine.state()).isEqualTo(EngineState.RUNNING);
      assertHealthyThread(engine);
    }
  }

  @Test
  void shouldRefuseToStartAnEngineThatIsSteppedAndGoOnStepping() {
    final Engine engine = engine(executor);
    engine.step();

    assertThatThrownBy(() -> engine.start(Engines::daemon))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("engine must not be driven already: driver=" + Thread.currentThread());

    assertHealthy(engine);
  }

  @Test
  void shouldRefuseToStartAClosedEngine() {
    final Engine engine = engine(executor);
    engine.close();

    assertThatThrownBy(() -> engine.start(Engines::daemon))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("engine must be new to start: state=CLOSED");
  }

  @Test
  void shouldStayAsItWasWhenNoThreadCanBeStarted() {
    final Engine engine = engine(executor);
    final RequestHandle handle = engine.submit(request("a", 1));

    assertThatThrownBy(
            () ->
                engine.start(
                    task ->
                        new Thread(task) {
                          @Override
                          public void start() {
                            throw new OutOfMemoryError("unable to create native thread");
                          }
                        }))
        .isInstanceOf(OutOfMemoryError.class);
    assertThatThrownBy(() -> engine.start(task -> null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("thread factory made no thread");

    assertThat(engine.state()).isEqualTo(EngineState.NEW);
    stepUntilIdle(engine);
    assertThat(endOf(handle)).isEqualTo("LENGTH/1");
    engine.close();
    assertThat(engine.state()).isEqualTo(EngineState.CLOSED);
  }

  @Test
  void shouldRunOnAVirtualThread() {
    final Engine engine = HeadwayEngine.builder(executor).limits(Engines.LIMITS).build();
    engine.start(Thread.ofVirtual().factory());

    assertHealthyThread(engine);

    engine.close();
    assertThat(engine.state()).isEqualTo(EngineState.CLOSED);
  }

  @Test
  void shouldTakeRequestsBeforeTheStart() {
    final Engine engine = HeadwayEngine.builder(executor).limits(Engines.LIMITS).build();
    final RequestHandle early = engine.submit(request("early", 2));

    engine.start(Engines::daemon);

    assertThat(endOf(await(early))).isEqualTo("LENGTH/2");
    engine.close();
  }

  @Test
  void shouldEndEveryHandleWithShutdownAndCloseProbesAndExecutorOnce() {
    final CountingProbe probe = new CountingProbe();
    final Engine engine =
        builder(executor)
            .limits(
                SchedulerLimits.builder()
                    .maxNumSeqs(1)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(128)
                    .build())
            .probe(probe)
            .build();
    final Heard heard = new Heard();
    final RequestHandle running = engine.submit(request("running", 9), heard);
    final RequestHandle waiting = engine.submit(request("waiting", 9));
    engine.step();
    final RequestHandle queued = engine.submit(request("queued", 9));

    engine.close();
    engine.close();

    assertThat(endOf(running)).isEqualTo("SHUTDOWN/1");
    assertThat(endOf(waiting)).isEqualTo("SHUTDOWN/0");
    assertThat(endOf(queued)).isEqualTo("SHUTDOWN/0");
    assertThat(heard.events).containsExactly("0:100", "SHUTDOWN/1");
    assertThat(engine.state()).isEqualTo(EngineState.CLOSED);
    assertThat(probe.closes).hasValue(1);
    assertThat(executor.closes).hasValue(1);
    assertThat(engine.stats().finished()).isEqualTo(3);
    assertThat(engine.stats().running()).isZero();
    assertThat(engine.stats().waiting()).isZero();
  }

  @Test
  void shouldCloseAnEngineThatNeverRan() {
    final Engine engine = engine(executor);
    final RequestHandle handle = engine.submit(request("a", 1));

    engine.close();

    assertThat(endOf(handle)).isEqualTo("SHUTDOWN/0");
    assertThat(executor.closes).hasValue(1);
  }

  @Test
  void shouldCloseOnceWhenSeveralThreadsCloseAtATime() throws Exception {
    for (int round = 0; round < 50; round++) {
      final ScriptedExecutor each = executor();
      final CountingProbe probe = new CountingProbe();
      final Engine engine = round % 2 == 0 ? started(each, probe) : engine(each, probe);
      final RequestHandle handle = engine.submit(request("a", 100));
      final List<Thread> closers = new ArrayList<>();
      final List<Boolean> doneAtReturn = Collections.synchronizedList(new ArrayList<>());
      for (int i = 0; i < 4; i++) {
        closers.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      engine.close();
                      doneAtReturn.add(handle.isDone());
                    }));
      }

      for (Thread closer : closers) {
        closer.join();
      }

      assertThat(doneAtReturn).as("round %d", round).containsExactly(true, true, true, true);
      assertThat(probe.closes).as("round %d", round).hasValue(1);
      assertThat(each.closes).as("round %d", round).hasValue(1);
    }
  }

  @Test
  void shouldCloseFromAListenerAfterTheStep() {
    final Engine engine = engine(executor);
    final Heard heard =
        new Heard() {
          @Override
          public void onToken(int index, int tokenId) {
            super.onToken(index, tokenId);
            engine.close();
            assertThat(engine.state()).isEqualTo(EngineState.NEW);
          }
        };
    engine.submit(request("a", 9), heard);
    final RequestHandle other = engine.submit(request("b", 9));

    engine.step();

    assertThat(heard.events).containsExactly("0:100", "SHUTDOWN/1");
    assertThat(endOf(other)).isEqualTo("SHUTDOWN/1");
    assertThat(engine.state()).isEqualTo(EngineState.CLOSED);
  }

  @Test
  void shouldCloseFromAListenerOfAnEngineThatHasItsOwnThread() {
    final Engine engine = started(executor);
    final RequestHandle handle =
        engine.submit(
            request("a", 100),
            new TokenListener() {
              @Override
              public void onToken(int index, int tokenId) {
                engine.close();
              }
            });

    assertThat(endOf(await(handle))).startsWith("SHUTDOWN/");
    engine.close();
    assertThat(executor.closes).hasValue(1);
  }

  @Test
  void shouldCloseFromAProbeInAStepAndWhenIdle() {
    final AtomicReference<Engine> inStep = new AtomicReference<>();
    final CountingProbe closing =
        new CountingProbe() {
          @Override
          public void onPlanned(PlannedEvent event) {
            inStep.get().close();
          }
        };
    inStep.set(engine(executor, closing));
    final RequestHandle handle = inStep.get().submit(request("a", 9));

    inStep.get().step();

    assertThat(endOf(handle)).isEqualTo("SHUTDOWN/1");
    assertThat(closing.closes).hasValue(1);
  }

  @Test
  void shouldCloseFromAnIdleProbeOnceItHasReturned() throws Exception {
    final AtomicReference<Engine> engine = new AtomicReference<>();
    final CountDownLatch closed = new CountDownLatch(1);
    final AtomicInteger closesInside = new AtomicInteger(-1);
    final CountDownLatch ready = new CountDownLatch(1);
    final CountingProbe closing =
        new CountingProbe() {
          @Override
          public void onIdle(long nowNs) {
            awaitQuietly(ready);
            engine.get().close();
            closesInside.set(closes.get());
          }

          @Override
          public void close() {
            super.close();
            closed.countDown();
          }
        };
    engine.set(started(executor, closing));
    ready.countDown();

    assertThat(closed.await(20, TimeUnit.SECONDS)).isTrue();
    engine.get().close();
    assertThat(closesInside).hasValue(0);
    assertThat(closing.closes).hasValue(1);
    assertThat(engine.get().state()).isEqualTo(EngineState.CLOSED);
  }

  @Test
  void shouldWaitForTheStepThatAnotherThreadIsDriving() throws Exception {
    final Engine engine = engine(executor);
    final CountDownLatch inStep = new CountDownLatch(1);
    final CountDownLatch goOn = new CountDownLatch(1);
    final RequestHandle handle = engine.submit(request("a", 9));
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          inStep.countDown();
          goOn.await();
          return ScriptedExecutor.answer(plan, output);
        });
    final Thread driver = Thread.ofPlatform().start(engine::step);
    inStep.await();

    final Thread closer = Thread.ofPlatform().start(engine::close);
    while (closer.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    assertThat(handle.isDone()).isFalse();
    assertThat(executor.closes).hasValue(0);
    goOn.countDown();
    driver.join();
    closer.join();

    assertThat(endOf(handle)).isEqualTo("SHUTDOWN/1");
    assertThat(executor.closes).hasValue(1);
  }

  @Test
  void shouldCloseWhateverTheProbeAndTheExecutorThrow() {
    executor.onClose(
        () -> {
          throw new AssertionError("executor does not close");
        });
    final Probe broken =
        new Probe() {
          @Override
          public void close() {
            throw new StackOverflowError("probe does not close");
          }
        };
    final CountingProbe other = new CountingProbe();
    final Engine engine = started(executor, broken, other);
    final RequestHandle handle = engine.submit(request("a", 100));

    assertThatCode(engine::close).doesNotThrowAnyException();

    assertThat(handle.isDone()).isTrue();
    assertThat(other.closes).hasValue(1);
    assertThat(engine.state()).isEqualTo(EngineState.CLOSED);
  }

  @Test
  void shouldFinishTheCloseOfAnInterruptedCallerAndKeepItsFlag() {
    final Engine engine = started(executor);
    final RequestHandle handle = engine.submit(request("a", 100));

    Thread.currentThread().interrupt();
    engine.close();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(handle.isDone()).isTrue();
  }

  @Test
  void shouldRejectWithTheStateAfterClose() {
    final Engine engine = engine(executor);
    engine.close();
    final Heard heard = new Heard();

    final RequestHandle handle = engine.submit(request("a", 1), heard);

    assertThat(rejected(handle).message())
        .isEqualTo("engine must be open to take requests: id=a, state=CLOSED");
    assertThat(heard.events).containsExactly("ENGINE_CLOSED");
    assertThat(engine.stats().rejected()).isEqualTo(1);
    assertThat(engine.stats().rejectionsUnreported()).isEqualTo(1);
  }

  @Test
  void shouldSayThatNoResetWasDoneAfterCloseOrByIt() {
    final Engine engine = engine(executor);

    final CompletableFuture<Boolean> before =
        engine.resetPrefixCache(ResetScope.IDLE_ONLY).toCompletableFuture();
    engine.close();
    final CompletableFuture<Boolean> after =
        engine.resetPrefixCache(ResetScope.IDLE_ONLY).toCompletableFuture();

    assertThat(before).isCompletedWithValue(false);
    assertThat(after).isCompletedWithValue(false);
  }

  @Test
  void shouldResetThePrefixCacheBetweenSteps() {
    final Engine engine = engine(executor);
    final RequestHandle handle = engine.submit(request("a", 4));
    engine.step();

    final CompletableFuture<Boolean> refused =
        engine.resetPrefixCache(ResetScope.IDLE_ONLY).toCompletableFuture();
    final CompletableFuture<Boolean> done =
        engine.resetPrefixCache(ResetScope.PREEMPT_RUNNING).toCompletableFuture();
    stepUntilIdle(engine);

    assertThat(refused).isCompletedWithValue(false);
    assertThat(done).isCompletedWithValue(true);
    assertThat(endOf(handle)).isEqualTo("LENGTH/4");
    assertThat(finished(handle).preemptions()).isEqualTo(1);
    assertThat(finished(handle).outputTokenIds()).containsExactly(100, 101, 102, 103);
  }

  @Test
  void shouldDrainWhatItHasAndRefuseTheRest() throws Exception {
    final Engine engine = engine(executor);
    final RequestHandle first = engine.submit(request("a", 5));
    final List<RequestHandle> during = new ArrayList<>();
    engine.submit(
        request("b", 2),
        new TokenListener() {
          @Override
          public void onDone(RequestOutcome outcome) {
            during.add(engine.submit(request("c", 1)));
          }
        });

    final boolean drained = engine.drain(LONG);

    assertThat(drained).isTrue();
    assertThat(endOf(first)).isEqualTo("LENGTH/5");
    assertThat(rejected(during.getFirst()).message())
        .isEqualTo("engine must be open to take requests: id=c, state=DRAINING");
    assertThat(engine.state()).isEqualTo(EngineState.DRAINING);
    assertThat(engine.drain(Duration.ZERO)).isTrue();
    engine.close();
    assertThat(engine.state()).isEqualTo(EngineState.CLOSED);
    assertThat(engine.drain(Duration.ZERO)).isTrue();
  }

  @Test
  void shouldDrainAnEngineThatHasItsOwnThread() throws Exception {
    final Engine engine = started(executor);
    final List<RequestHandle> handles = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      handles.add(engine.submit(request("a" + i, 1 + i)));
    }

    final boolean drained = engine.drain(ChronoUnit.FOREVER.getDuration());

    assertThat(drained).isTrue();
    assertThat(handles).allSatisfy(handle -> assertThat(endOf(handle)).startsWith("LENGTH/"));
    engine.close();
  }

  @Test
  void shouldDrainAnIdleEngineWithoutWaitingForItsRestToEnd() throws Exception {
    final CountDownLatch idle = new CountDownLatch(1);
    final Probe probe =
        new Probe() {
          @Override
          public void onIdle(long nowNs) {
            idle.countDown();
          }
        };
    try (Engine engine = started(executor, probe)) {
      idle.await();

      assertThat(engine.drain(LONG)).isTrue();
    }
  }

  @Test
  void shouldSayThatItDidNotDrainInTimeAndGoOn() throws Exception {
    final Engine engine = engine(executor);
    final RequestHandle handle = engine.submit(request("a", 5));

    assertThat(engine.drain(Duration.ZERO)).isFalse();

    assertThat(handle.isDone()).isFalse();
    stepUntilIdle(engine);
    assertThat(endOf(handle)).isEqualTo("LENGTH/5");
    assertThat(engine.drain(Duration.ZERO)).isTrue();
  }

  @Test
  void shouldWaitInDrainForTheThreadThatDrives() throws Exception {
    final Engine engine = engine(executor);
    final CountDownLatch owned = new CountDownLatch(1);
    final CountDownLatch goOn = new CountDownLatch(1);
    final RequestHandle handle = engine.submit(request("a", 5));
    final Thread driver =
        Thread.ofPlatform()
            .start(
                () -> {
                  engine.step();
                  owned.countDown();
                  awaitQuietly(goOn);
                  stepUntilIdle(engine);
                });
    owned.await();

    assertThat(engine.drain(Duration.ofMillis(1))).isFalse();
    goOn.countDown();
    assertThat(engine.drain(LONG)).isTrue();

    driver.join();
    assertThat(endOf(handle)).isEqualTo("LENGTH/5");
  }

  @Test
  void shouldNotWaitForItselfWhenDrainedFromAListener() {
    final Engine engine = started(executor);
    final AtomicReference<Boolean> answer = new AtomicReference<>();
    final RequestHandle handle =
        engine.submit(
            request("a", 3),
            new TokenListener() {
              @Override
              public void onToken(int index, int tokenId) {
                try {
                  answer.set(engine.drain(LONG));
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              }
            });

    assertThat(endOf(await(handle))).isEqualTo("LENGTH/3");
    assertThat(answer.get()).isFalse();
    assertThat(engine.state()).isEqualTo(EngineState.DRAINING);
    engine.close();
  }

  @Test
  void shouldEndADrainWhenItsCallerIsInterrupted() {
    final Engine engine = engine(executor);
    engine.submit(request("a", 50));

    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> engine.drain(LONG)).isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
    engine.close();
  }

  @Test
  void shouldRefuseToStartADrainedEngine() throws Exception {
    final Engine engine = engine(executor);
    engine.drain(LONG);

    assertThatThrownBy(() -> engine.start(Engines::daemon))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("engine must not be driven already: driver=" + Thread.currentThread());
    engine.close();
  }

  @Test
  void shouldGoOnWhenTheEngineThreadIsInterruptedAtRest() throws Exception {
    final AtomicReference<Thread> thread = new AtomicReference<>();
    final Engine engine = HeadwayEngine.builder(executor).limits(Engines.LIMITS).build();
    engine.start(
        task -> {
          thread.set(daemon(task));
          return thread.get();
        });

    for (int i = 0; i < 20; i++) {
      thread.get().interrupt();
      assertHealthyThread(engine);
    }

    assertThat(engine.stats().stepsFailed()).isZero();
    engine.close();
  }

  @Test
  void shouldNotLetAListenerThatInterruptsTheEngineThreadHarmAnyRequest() {
    executor.alwaysAwait(
        (plan, output, timeoutNs) -> {
          if (Thread.interrupted()) {
            throw new InterruptedException();
          }
          return ScriptedExecutor.answer(plan, output);
        });
    final TokenListener interrupting =
        new TokenListener() {
          @Override
          public void onToken(int index, int tokenId) {
            Thread.currentThread().interrupt();
          }
        };
    final Engine engine = started(executor);

    final RequestHandle own = engine.submit(request("own", 20), interrupting);
    final RequestHandle other = engine.submit(request("other", 30));

    assertThat(endOf(await(own))).isEqualTo("LENGTH/20");
    assertThat(endOf(await(other))).isEqualTo("LENGTH/30");
    assertHealthyThread(engine);
    assertThat(engine.stats().stepsFailed()).isZero();
    engine.close();
  }

  @Test
  void shouldLoseOnlyTheStepThatIsOutWhenTheEngineThreadIsInterruptedInIt() {
    final AtomicReference<Thread> thread = new AtomicReference<>();
    final AtomicInteger answered = new AtomicInteger();
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          thread.get().interrupt();
          new CountDownLatch(1).await();
          return true;
        });
    executor.thenAwait(
        (plan, output, timeoutNs) -> { // the late answer
          answered.incrementAndGet();
          return true;
        });
    final Engine engine = HeadwayEngine.builder(executor).limits(Engines.LIMITS).build();
    engine.start(
        task -> {
          thread.set(daemon(task));
          return thread.get();
        });

    final RequestHandle lost = engine.submit(request("lost", 3));

    assertThat(endOf(await(lost))).isEqualTo("EXECUTOR_FAILED/0");
    assertThat(finished(lost).cause()).isInstanceOf(InterruptedException.class);
    assertHealthyThread(engine);
    assertThat(answered).hasValue(1);
    engine.close();
  }

  @ParameterizedTest
  @EnumSource(
      value = Point.class,
      names = {"ADD", "BEFORE_SCHEDULE", "AFTER_SCHEDULE", "BEFORE_COMPLETE"})
  void shouldEndEveryHandleWhenTheSchedulerFails(Point point) {
    final AtomicReference<FaultyScheduler> scheduler = new AtomicReference<>();
    final CountingProbe probe = new CountingProbe();
    final Engine engine = Engines.around(faulty(scheduler), executor, probe);
    final Heard heard = new Heard();
    final RequestHandle running = engine.submit(request("running", 9), heard);
    engine.step();
    final RequestHandle coming = engine.submit(request("coming", 9));
    final RequestHandle behind = engine.submit(request("behind", 9));
    final Error bug = new Error("a bug");
    scheduler.get().throwAt(point, bug, 1);

    assertThatThrownBy(engine::step).isSameAs(bug);

    assertThat(endOf(running)).isEqualTo("SHUTDOWN/1");
    assertThat(finished(running).cause()).isSameAs(bug);
    assertThat(heard.events).containsExactly("0:100", "SHUTDOWN/1");
    assertThat(endOf(coming)).isEqualTo("SHUTDOWN/0");
    assertThat(endOf(behind)).isEqualTo("SHUTDOWN/0");
    assertThat(engine.state()).isEqualTo(EngineState.FAILED);
    assertThat(probe.closes).hasValue(1);
    assertThat(executor.closes).hasValue(1);
    assertThat(engine.stats().finished()).isEqualTo(3);
    engine.close();
    assertThat(engine.state()).isEqualTo(EngineState.FAILED);
  }

  @ParameterizedTest
  @EnumSource(
      value = Point.class,
      names = {"ADD", "FINISH"})
  void shouldEndEveryHandleWhenTheSchedulerCannotEvenEndThem(Point point) {
    final AtomicReference<FaultyScheduler> scheduler = new AtomicReference<>();
    final CountingProbe probe = new CountingProbe();
    final Engine engine = Engines.around(faulty(scheduler), executor, probe);
    final Heard heard = new Heard();
    final RequestHandle running = engine.submit(request("running", 9), heard);
    engine.step();
    final RequestHandle coming = engine.submit(request("coming", 9));
    final RequestHandle behind = engine.submit(request("behind", 9));
    scheduler.get().throwAt(point, new Error("a bug"), Integer.MAX_VALUE);

    engine.close();

    assertThat(heard.events).containsExactly("0:100", "SHUTDOWN/1");
    assertThat(finished(running).outputTokenIds()).containsExactly(100);
    assertThat(endOf(coming)).isEqualTo("SHUTDOWN/0");
    assertThat(endOf(behind)).isEqualTo("SHUTDOWN/0");
    assertThat(engine.state()).isEqualTo(EngineState.CLOSED);
    assertThat(probe.closes).hasValue(1);
    assertThat(executor.closes).hasValue(1);
    assertThat(engine.stats().finished()).isEqualTo(3);
  }

  @Test
  void shouldEndEveryHandleWhenTheSchedulerFailsOnTheEnginesOwnThread() throws Exception {
    final AtomicReference<FaultyScheduler> scheduler = new AtomicReference<>();
    final Engine engine = Engines.around(faulty(scheduler), executor);
    scheduler.get().throwAt(Point.BEFORE_SCHEDULE, new Error("a bug"), Integer.MAX_VALUE);
    final RequestHandle handle = engine.submit(request("a", 9));

    engine.start(Engines::daemon);

    assertThat(endOf(await(handle))).isEqualTo("SHUTDOWN/0");
    assertThat(engine.drain(LONG)).isTrue();
    engine.close();
    assertThat(engine.state()).isEqualTo(EngineState.FAILED);
    assertThat(executor.closes).hasValue(1);
  }

  @Test
  void shouldCompleteAResetThatFails() {
    final AtomicReference<FaultyScheduler> scheduler = new AtomicReference<>();
    final Engine engine = Engines.around(faulty(scheduler), executor);
    scheduler.get().throwAt(Point.RESET, new Error("a bug"), 1);

    final CompletableFuture<Boolean> reset =
        engine.resetPrefixCache(ResetScope.IDLE_ONLY).toCompletableFuture();

    assertThatThrownBy(engine::step).hasMessage("a bug");
    assertThat(reset).isCompletedWithValue(false);
    assertThat(engine.state()).isEqualTo(EngineState.FAILED);
  }

  private static UnaryOperator<Scheduler> faulty(AtomicReference<FaultyScheduler> made) {
    return scheduler -> {
      made.set(new FaultyScheduler(scheduler));
      return made.get();
    };
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static class CountingProbe implements Probe {

    final AtomicInteger closes = new AtomicInteger();

    @Override
    public void close() {
      closes.incrementAndGet();
    }
  }

  @Test
  void shouldGoOnAfterAStepThatOnlyPreempts() {
    final ExecutorShape tight =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(4).blocks(5).build())
            .maxNumSeqs(8)
            .vocabularySize(1_000)
            .build();
    final Engine engine =
        HeadwayEngine.builder(new ScriptedExecutor(tight))
            .config(
                SchedulerConfig.builder(Engines.LIMITS).queuePolicy(QueuePolicy.PRIORITY).build())
            .clock(new VirtualClock())
            .build();
    // the less important one runs first, needs a block first, and is its own victim
    final RequestHandle lesser =
        engine.submit(
            Request.builder("lesser", 1, 2, 3, 4, 5, 6, 7).maxTokens(9).priority(9).build());
    engine.step();
    final RequestHandle greater =
        engine.submit(Request.builder("greater", 9, 8, 7, 6, 5).maxTokens(9).priority(1).build());

    Engines.stepUntilIdle(engine);

    assertThat(Engines.endOf(lesser)).isEqualTo("LENGTH/9");
    assertThat(Engines.endOf(greater)).isEqualTo("LENGTH/9");
    assertThat(Engines.finished(lesser).preemptions()).isPositive();
  }
}
