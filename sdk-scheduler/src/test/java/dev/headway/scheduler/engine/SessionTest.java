package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.assertHealthy;
import static dev.headway.scheduler.engine.Engines.await;
import static dev.headway.scheduler.engine.Engines.builder;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.finished;
import static dev.headway.scheduler.engine.Engines.prompt;
import static dev.headway.scheduler.engine.Engines.started;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.engine.TurnOutcome;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.SessionInput;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.WaitReason;
import dev.headway.scheduler.time.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Sessions as callers use them: input from any thread, ends, timeouts. */
class SessionTest {

  private final VirtualClock clock = new VirtualClock();
  private final Turns turns = new Turns();

  /** What a listener hears of turns and ends, in order. */
  private static final class Turns implements TokenListener {
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final AtomicInteger tokens = new AtomicInteger();

    @Override
    public void onToken(int index, int tokenId) {
      tokens.incrementAndGet();
    }

    @Override
    public void onTurnEnd(TurnOutcome turn) {
      heard.add(turn.index() + " " + turn.reason() + "/" + turn.outputTokens());
    }

    @Override
    public void onDone(RequestOutcome outcome) {
      heard.add(endOf(outcome));
    }
  }

  private static Request.Builder session() {
    return Request.builder("s", 1, 2, 3, 4, 5).maxTokens(2).resumable();
  }

  private static SessionInput input(int maxTokens) {
    return SessionInput.of(StopRule.maxTokens(maxTokens), 7, 8, 9);
  }

  @Test
  void shouldTellTheOutcomeOfEachTurn() {
    final Engine engine = builder(executor()).clock(clock).build();
    final RequestHandle handle = engine.submit(session().build(), turns);
    stepUntilIdle(engine);
    assertThat(turns.heard).containsExactly("0 LENGTH/2");

    assertThat(handle.append(input(3))).isTrue();
    stepUntilIdle(engine);
    assertThat(handle.append(input(4))).isTrue();
    assertThat(handle.endInput()).isTrue();
    stepUntilIdle(engine);

    assertThat(turns.heard).containsExactly("0 LENGTH/2", "1 LENGTH/3", "LENGTH/4");
    assertThat(turns.tokens.get()).isEqualTo(9);
    assertThat(handle.append(input(1))).isFalse();
    assertThat(handle.endInput()).isFalse();
  }

  @Test
  void shouldTakeInputBeforeTheRequestIsTakenIn() {
    final Engine engine = builder(executor()).clock(clock).build();
    final RequestHandle handle = engine.submit(session().build(), turns);

    handle.append(input(1));
    handle.append(input(3));
    handle.endInput();
    assertThat(handle.append(input(1))).isFalse();
    stepUntilIdle(engine);

    assertThat(turns.heard).containsExactly("0 LENGTH/2", "1 LENGTH/1", "LENGTH/3");
  }

  @Test
  void shouldEndAnIdleSessionAsItsLatestTurnHasEnded() {
    final Engine engine = builder(executor()).clock(clock).build();
    final RequestHandle handle = engine.submit(session().build(), turns);
    stepUntilIdle(engine);
    clock.sleepUntil(clock.nanoTime() + 5_000);

    handle.endInput();
    stepUntilIdle(engine);

    assertThat(turns.heard).containsExactly("0 LENGTH/2", "LENGTH/2");
    assertThat(finished(handle).waits().ns(WaitReason.STREAMING_INPUT)).isEqualTo(5_000);
    assertHealthy(engine);
  }

  @Test
  void shouldEndASessionThatWaitsForInputForTooLong() {
    final Engine engine = builder(executor()).clock(clock).build();
    final RequestHandle handle =
        engine.submit(session().inputTimeout(Duration.ofNanos(1_000)).build(), turns);
    stepUntilIdle(engine);
    clock.sleepUntil(clock.nanoTime() + 600);
    handle.append(input(1));
    stepUntilIdle(engine);
    clock.sleepUntil(clock.nanoTime() + 999);
    stepUntilIdle(engine);
    assertThat(handle.isDone()).isFalse();

    clock.sleepUntil(clock.nanoTime() + 1);
    stepUntilIdle(engine);

    assertThat(turns.heard).containsExactly("0 LENGTH/2", "1 LENGTH/1", "HOLD_TIMEOUT/1");
    assertThat(handle.append(input(1))).isFalse();
  }

  @Test
  void shouldCancelAnIdleSession() {
    final Engine engine = builder(executor()).clock(clock).build();
    final RequestHandle handle = engine.submit(session().build(), turns);
    stepUntilIdle(engine);

    handle.cancel();
    stepUntilIdle(engine);

    assertThat(turns.heard).containsExactly("0 LENGTH/2", "ABORTED/2");
    assertThat(engine.stats().kvCache().freeBlocks()).isEqualTo(64);
  }

  @Test
  void shouldEndIdleSessionsWhenTheEngineDrains() throws Exception {
    final Engine engine = builder(executor()).clock(clock).build();
    final RequestHandle idle = engine.submit(session().build(), turns);
    stepUntilIdle(engine);
    final RequestHandle busy =
        engine.submit(Request.builder("t", 9, 8, 7).maxTokens(5).resumable().build());

    assertThat(engine.drain(Duration.ofSeconds(20))).isTrue();

    assertThat(endOf(idle)).isEqualTo("LENGTH/2");
    assertThat(endOf(busy)).isEqualTo("LENGTH/5");
  }

  @Test
  void shouldEndIdleSessionsWhenTheEngineCloses() {
    final Engine engine = builder(executor()).clock(clock).build();
    final RequestHandle handle = engine.submit(session().build(), turns);
    stepUntilIdle(engine);

    engine.close();

    assertThat(turns.heard).containsExactly("0 LENGTH/2", "SHUTDOWN/2");
    assertThat(handle.append(input(1))).isFalse();
  }

  @Test
  void shouldEndOnlyTheSessionWhoseListenerThrows() {
    final Engine engine = builder(executor()).clock(clock).build();
    final RequestHandle handle =
        engine.submit(
            session().build(),
            new TokenListener() {
              @Override
              public void onTurnEnd(TurnOutcome turn) {
                throw new IllegalStateException("no");
              }
            });
    stepUntilIdle(engine);

    assertThat(endOf(handle)).isEqualTo("LISTENER_FAILED/2");
    assertHealthy(engine);
  }

  @Test
  void shouldRefuseInputThatCanNeverBeComputed() {
    final Engine engine = builder(executor()).clock(clock).build();
    final RequestHandle handle = engine.submit(session().build());
    final RequestHandle other = engine.submit(prompt("other", 4, 1));

    assertThatThrownBy(() -> handle.append(SessionInput.of(StopRule.maxTokens(1), 3, 1_000)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "input token ids must be in [0, vocabularySize): id=s, position=1, tokenId=1000,"
                + " vocabularySize=1000");
    assertThatThrownBy(() -> other.append(input(1)))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage("only a session gets further input: id=other; build it resumable()");
  }

  @Test
  void shouldRejectASessionThatTheSchedulerWouldNotKeep() {
    final Engine engine = Engines.around(FaultyScheduler::new, executor());

    final RequestHandle handle = engine.submit(session().build());

    assertThat(Engines.rejected(handle).reason()).isEqualTo(RejectReason.UNSUPPORTED);
    assertThat(Engines.rejected(handle).message())
        .isEqualTo(
            "the scheduler must keep sessions for a resumable request: id=s;"
                + " see Scheduler.keepsSessions");
  }

  @Test
  void shouldBoundTheInputsThatWait() {
    final Engine engine = builder(executor()).clock(clock).build();
    final RequestHandle handle = engine.submit(session().build());
    for (int i = 0; i < SessionInputs.MOST_WAITING; i++) {
      handle.append(input(1));
    }

    assertThatThrownBy(() -> handle.append(input(1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "at most 256 inputs of a session can wait for their turn: id=s, waiting=256; append the"
                + " next when a turn has ended");
  }

  @Test
  void shouldEndOnceHoweverInputAndEndsRace() throws Exception {
    try (Engine engine = started(executor())) {
      for (int round = 0; round < 2_000; round++) {
        final Turns heard = new Turns();
        final RequestHandle handle =
            engine.submit(
                Request.builder("s" + round, 1, 2, 3).maxTokens(1).resumable().build(), heard);
        final AtomicInteger taken = new AtomicInteger();
        final boolean cancels = round % 2 == 1;
        final List<Thread> threads = new ArrayList<>();
        for (int thread = 0; thread < 3; thread++) {
          threads.add(
              Thread.startVirtualThread(
                  () -> {
                    for (int i = 0; i < 3; i++) {
                      taken.addAndGet(handle.append(input(1)) ? 1 : 0);
                    }
                  }));
        }
        threads.add(
            Thread.startVirtualThread(
                () -> {
                  if (cancels) {
                    handle.cancel();
                  } else {
                    handle.endInput();
                  }
                }));
        for (Thread thread : threads) {
          thread.join();
        }

        final String end = endOf(await(handle));

        assertThat(heard.heard.stream().filter(each -> !each.contains(" "))).containsExactly(end);
        if (!cancels) { // each input that was taken has had its turn
          assertThat(heard.tokens.get()).as("round=%d", round).isEqualTo(1 + taken.get());
        }
      }
    }
  }

  @Test
  void shouldComputeEachTurnOnTheKvOfTheTurnsBefore() {
    final RememberedLoads one =
        new RememberedLoads(
                random ->
                    KvCacheShape.builder().blockSize(4).blocks(20 + random.nextInt(20)).build(),
                0,
                0)
            .withSessions();
    final RememberedLoads several =
        new RememberedLoads(
                random ->
                    KvCacheShape.builder()
                        .blockSize(4)
                        .blocks(40 + random.nextInt(40))
                        .groups(
                            List.of(new KvGroup.FullAttention(4), new KvGroup.SlidingWindow(4, 9)))
                        .build(),
                0,
                0)
            .withSessions();
    final RememberedLoads failing =
        new RememberedLoads(
                random ->
                    KvCacheShape.builder().blockSize(2).blocks(40 + random.nextInt(40)).build(),
                0,
                60)
            .withSessions();

    one.run(1, 150);
    several.run(1, 150);
    failing.run(1, 150);

    assertThat(one.turns).isGreaterThan(1_000);
    assertThat(several.turns).isGreaterThan(1_000);
    assertThat(failing.turns).isGreaterThan(500);
    assertThat(one.preemptions).isPositive();
  }
}
