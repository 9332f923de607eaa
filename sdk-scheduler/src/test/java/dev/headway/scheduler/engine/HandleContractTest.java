package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.assertHealthy;
import static dev.headway.scheduler.engine.Engines.builder;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.engine;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.finished;
import static dev.headway.scheduler.engine.Engines.prompt;
import static dev.headway.scheduler.engine.Engines.request;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.RejectedEvent;
import dev.headway.api.request.Request;
import dev.headway.api.time.ClockAnchor;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.time.VirtualClock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What a caller can rely on, request by request. */
class HandleContractTest {

  private final ScriptedExecutor executor = executor();
  private final VirtualClock clock = new VirtualClock();

  @Test
  void shouldHandTokensToTheListenerInOrderAndTheOutcomeLast() {
    final Engine engine = engine(executor);
    final Heard heard = new Heard();

    final RequestHandle handle = engine.submit(request("a", 3), heard);
    stepUntilIdle(engine);

    assertThat(heard.events).containsExactly("0:100", "1:101", "2:102", "LENGTH/3");
    assertThat(finished(handle).outputTokenIds()).containsExactly(100, 101, 102);
    assertThat(finished(handle).id()).isEqualTo("a");
    assertThat(finished(handle).cause()).isNull();
  }

  @Test
  void shouldCompleteTheHandleAfterTheListenerHasHeardTheEnd() {
    final Engine engine = engine(executor);
    final List<Boolean> doneInside = new ArrayList<>();
    final AtomicReference<RequestHandle> handle = new AtomicReference<>();
    final TokenListener listener =
        new TokenListener() {
          @Override
          public void onDone(RequestOutcome outcome) {
            doneInside.add(handle.get().isDone());
          }
        };

    handle.set(engine.submit(request("a", 1), listener));
    stepUntilIdle(engine);

    assertThat(doneInside).containsExactly(false);
    assertThat(handle.get().isDone()).isTrue();
  }

  @Test
  void shouldReturnFromAwaitWithTheOutcome() throws Exception {
    final Engine engine = engine(executor);
    final RequestHandle handle = engine.submit(request("a", 2));

    stepUntilIdle(engine);

    assertThat(endOf(handle.await())).isEqualTo("LENGTH/2");
  }

  @Test
  void shouldStopARequestAsComplete() {
    final Engine engine = engine(executor);
    final Heard heard = new Heard();
    final RequestHandle handle = engine.submit(request("a", 30), heard);
    engine.step();
    engine.step();

    handle.stop();
    handle.cancel(); // too late: the first counts
    stepUntilIdle(engine);

    assertThat(heard.events.getLast()).startsWith("STOP/");
    assertHealthy(engine);
  }

  @Test
  void shouldStopARequestBeforeItWasTakenIn() {
    final Engine engine = engine(executor);
    final Heard heard = new Heard();

    engine.submit(request("a", 3), heard).stop();
    stepUntilIdle(engine);

    assertThat(heard.events).containsExactly("STOP/0");
    assertHealthy(engine);
  }

  @Test
  void shouldCancelBeforeTheRequestWasTakenIn() {
    final Engine engine = engine(executor);
    final Heard heard = new Heard();
    final RequestHandle handle = engine.submit(request("a", 3), heard);

    handle.cancel();
    stepUntilIdle(engine);

    assertThat(heard.events).containsExactly("ABORTED/0");
    assertHealthy(engine);
  }

  @Test
  void shouldCancelARequestThatIsTakenInAfterItsCancellationWasLookedAt() {
    final AtomicReference<Engine> engine = new AtomicReference<>();
    final AtomicReference<RequestHandle> late = new AtomicReference<>();
    final Probe submitter =
        new Probe() {
          @Override
          public void onQueued(QueuedEvent event) {
            if (late.get() == null) {
              late.set(engine.get().submit(request("late", 50)));
              late.get().cancel();
            }
          }
        };
    engine.set(engine(executor, submitter));

    engine.get().submit(request("first", 1));
    stepUntilIdle(engine.get());

    assertThat(endOf(late.get())).isEqualTo("ABORTED/0");
  }

  @Test
  void shouldCancelAWaitingRequest() {
    final Engine engine =
        builder(executor)
            .limits(
                SchedulerLimits.builder()
                    .maxNumSeqs(1)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(128)
                    .build())
            .build();
    final RequestHandle running = engine.submit(request("running", 3));
    final RequestHandle waiting = engine.submit(request("waiting", 3));
    engine.step();

    waiting.cancel();
    engine.step();

    assertThat(endOf(waiting)).isEqualTo("ABORTED/0");
    stepUntilIdle(engine);
    assertThat(endOf(running)).isEqualTo("LENGTH/3");
  }

  @Test
  void shouldCancelARunningRequestAndKeepItsTokens() {
    final Engine engine = engine(executor);
    final Heard heard = new Heard();
    final RequestHandle handle = engine.submit(request("a", 9), heard);
    engine.step();
    engine.step();

    handle.cancel();
    stepUntilIdle(engine);

    assertThat(heard.events).containsExactly("0:100", "1:101", "ABORTED/2");
    assertThat(finished(handle).outputTokenIds()).containsExactly(100, 101);
    assertHealthy(engine);
  }

  @Test
  void shouldCancelInTheMiddleOfAStepBeforeTheNextIsPlanned() {
    final Engine engine = engine(executor);
    final Heard heard = new Heard();
    final RequestHandle handle = engine.submit(request("a", 9), heard);
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          handle.cancel();
          return ScriptedExecutor.answer(plan, output);
        });

    stepUntilIdle(engine);

    assertThat(heard.events).containsExactly("0:100", "ABORTED/1");
  }

  @Test
  void shouldIgnoreACancelAfterTheEndAndASecondOne() {
    final Engine engine = engine(executor);
    final Heard heardA = new Heard();
    final Heard heardB = new Heard();
    final RequestHandle a = engine.submit(request("a", 1), heardA);
    stepUntilIdle(engine);
    final RequestHandle b = engine.submit(request("b", 9), heardB);
    engine.step();

    a.cancel();
    b.cancel();
    b.cancel();
    stepUntilIdle(engine);

    assertThat(heardA.events).containsExactly("0:100", "LENGTH/1");
    assertThat(heardB.events).containsExactly("0:100", "ABORTED/1");
    assertThat(engine.stats().finished()).isEqualTo(2);
  }

  @Test
  void shouldCancelFromTheRequestsOwnListener() {
    final Engine engine = engine(executor);
    final AtomicReference<RequestHandle> handle = new AtomicReference<>();
    final Heard heard =
        new Heard() {
          @Override
          public void onToken(int index, int tokenId) {
            super.onToken(index, tokenId);
            handle.get().cancel();
          }

          @Override
          public void onDone(RequestOutcome outcome) {
            super.onDone(outcome);
            handle.get().cancel();
          }
        };

    handle.set(engine.submit(request("a", 9), heard));
    stepUntilIdle(engine);

    assertThat(heard.events).containsExactly("0:100", "ABORTED/1");
  }

  @Test
  void shouldCancelAndSubmitOthersFromAListener() {
    final Engine engine = engine(executor);
    final RequestHandle victim = engine.submit(request("victim", 9));
    final List<RequestHandle> born = new ArrayList<>();
    engine.submit(
        request("a", 1),
        new TokenListener() {
          @Override
          public void onDone(RequestOutcome outcome) {
            victim.cancel();
            born.add(engine.submit(request("a", 2))); // its own id is free again
          }
        });

    stepUntilIdle(engine);

    assertThat(endOf(victim)).isEqualTo("ABORTED/1");
    assertThat(endOf(born.getFirst())).isEqualTo("LENGTH/2");
  }

  @Test
  void shouldTakeAnIdAgainOnceItsRequestHasEnded() {
    final Engine engine = engine(executor);

    for (int round = 0; round < 3; round++) {
      final RequestHandle handle = engine.submit(request("same", 2));
      stepUntilIdle(engine);
      assertThat(endOf(handle)).isEqualTo("LENGTH/2");
    }
  }

  @Test
  void shouldEndAtItsDeadlineInTheSubmissionQueue() {
    final Engine engine = builder(executor).clock(clock).build();
    final RequestHandle handle = engine.submit(within(10, "a"));

    clock.advance(10);
    engine.step();

    assertThat(endOf(handle)).isEqualTo("DEADLINE/0");
    assertThat(finished(handle).arrivalNs()).isZero();
    assertThat(finished(handle).finishedNs()).isEqualTo(10);
  }

  @Test
  void shouldEndAtItsDeadlineWhileWaitingAndWhileRunning() {
    final Engine engine =
        builder(executor)
            .limits(
                SchedulerLimits.builder()
                    .maxNumSeqs(1)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(128)
                    .build())
            .clock(clock)
            .build();
    final RequestHandle running = engine.submit(within(20, "running"));
    final RequestHandle waiting = engine.submit(within(10, "waiting"));
    engine.step();

    clock.advance(9);
    engine.step();
    assertThat(waiting.isDone()).isFalse();
    clock.advance(1);
    engine.step();
    assertThat(endOf(waiting)).isEqualTo("DEADLINE/0");
    assertThat(running.isDone()).isFalse();
    clock.advance(10);
    engine.step();

    assertThat(endOf(running)).isEqualTo("DEADLINE/3");
    assertHealthy(engine);
  }

  @Test
  void shouldKeepWhatAStepBroughtThatPassedTheDeadline() {
    final Engine engine = builder(executor).clock(clock).build();
    final RequestHandle handle = engine.submit(within(10, "a"));
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          clock.advance(50);
          return ScriptedExecutor.answer(plan, output);
        });

    engine.step();
    assertThat(handle.isDone()).isFalse();
    engine.step();

    assertThat(endOf(handle)).isEqualTo("DEADLINE/1");
    assertThat(finished(handle).finishedNs()).isEqualTo(50);
  }

  @Test
  void shouldTakeATimeoutLongerThanALongCanHoldAsNone() {
    final Engine engine = builder(executor).clock(clock).build();
    clock.advance(5);
    final Request forEver =
        Request.builder("a", 1).maxTokens(2).timeout(ChronoUnit.FOREVER.getDuration()).build();

    final RequestHandle handle = engine.submit(forEver);
    clock.advance(Duration.ofDays(365).toNanos());
    stepUntilIdle(engine);

    assertThat(endOf(handle)).isEqualTo("LENGTH/2");
  }

  @Test
  void shouldForgetTheDeadlinesOfRequestsThatEndedEarly() {
    final Engine engine = builder(executor).clock(clock).build();
    final RequestHandle first = engine.submit(within(1_000, "first"));
    final RequestHandle last = engine.submit(request("last", 90));

    for (int i = 0; i < 500; i++) {
      engine.submit(within(2_000 + i, "early" + i)).cancel();
      engine.step();
    }
    clock.advance(1_000);
    engine.step();

    assertThat(endOf(first)).isEqualTo("LENGTH/50");
    assertThat(endOf(last)).isEqualTo("LENGTH/90");
    assertThat(engine.stats().finished()).isEqualTo(502);
  }

  @Test
  void shouldTakeAnArrivalInThePastAndRefuseOthers() {
    final Engine engine = builder(executor).clock(clock).build();
    clock.advance(100);

    final RequestHandle handle = engine.submit(request("a", 1), TokenListener.NONE, 40);
    stepUntilIdle(engine);

    assertThat(finished(handle).arrivalNs()).isEqualTo(40);
    assertThatThrownBy(() -> engine.submit(request("b", 1), TokenListener.NONE, 101))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("arrivalNs must be in [0, now]: id=b, arrivalNs=101, nowNs=100");
    assertThatThrownBy(() -> engine.submit(request("b", 1), TokenListener.NONE, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("arrivalNs must be in [0, now]: id=b, arrivalNs=-1, nowNs=100");
    assertThat(engine.stats().submitted()).isEqualTo(1);
  }

  @Test
  void shouldCountTheTimeoutFromTheArrival() {
    final Engine engine = builder(executor).clock(clock).build();
    clock.advance(100);

    final RequestHandle handle = engine.submit(within(50, "a"), TokenListener.NONE, 40);
    engine.step();

    assertThat(endOf(handle)).isEqualTo("DEADLINE/0");
  }

  @Test
  void shouldNeverQueueOrEndARequestBeforeItArrived() {
    final AtomicReference<Engine> engine = new AtomicReference<>();
    final List<RequestHandle> cancelled = new ArrayList<>();
    final List<String> reversed = new ArrayList<>();
    final Probe submitter =
        new Probe() {
          @Override
          public void onRejected(RejectedEvent event) { // in the cycle that takes these in
            for (int i = 0; i < 5; i++) {
              cancelled.add(engine.get().submit(request("c" + i, 1)));
              cancelled.getLast().cancel();
            }
          }

          @Override
          public void onQueued(QueuedEvent event) {
            if (event.request().queuedNs() < event.request().arrivalNs()) {
              reversed.add(event.request().toString());
            }
          }
        };
    engine.set(builder(executor).clock(new TickingClock()).probe(submitter).build());

    engine.get().submit(prompt("too-long", 500, 1));
    stepUntilIdle(engine.get());

    assertThat(reversed).isEmpty();
    assertThat(cancelled)
        .hasSize(5)
        .allSatisfy(
            handle ->
                assertThat(finished(handle).finishedNs())
                    .isGreaterThanOrEqualTo(finished(handle).arrivalNs()));
  }

  @Test
  void shouldRefuseANullListenerWithoutCountingTheRequest() {
    final Engine engine = engine(executor);

    assertThatThrownBy(() -> engine.submit(request("a", 1), null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("listener");

    assertThat(engine.stats().submitted()).isZero();
    assertHealthy(engine);
  }

  @Test
  void shouldNotLetACallerCompleteTheOutcome() {
    final Engine engine = engine(executor);
    final RequestHandle handle = engine.submit(request("a", 1));

    handle.outcome().toCompletableFuture().cancel(true);
    stepUntilIdle(engine);

    assertThat(endOf(handle)).isEqualTo("LENGTH/1");
  }

  private static Request within(long timeoutNs, String id) {
    return Request.builder(id, 1, 2, 3).maxTokens(50).timeout(Duration.ofNanos(timeoutNs)).build();
  }

  /** A clock that moves whenever it is read. */
  private static final class TickingClock implements NanoClock {

    private final AtomicLong nowNs = new AtomicLong();

    @Override
    public long nanoTime() {
      return nowNs.incrementAndGet();
    }

    @Override
    public void sleepUntil(long deadlineNs) {
      nowNs.accumulateAndGet(deadlineNs, Math::max);
    }

    @Override
    public ClockAnchor anchor() {
      return new ClockAnchor(0, 0, 0);
    }

    @Override
    public boolean isVirtual() {
      return true;
    }
  }
}
