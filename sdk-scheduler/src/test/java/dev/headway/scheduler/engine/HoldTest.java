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

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.request.Hold;
import dev.headway.api.request.HoldReason;
import dev.headway.api.request.Request;
import dev.headway.api.schedule.WaitReason;
import dev.headway.scheduler.time.VirtualClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Holds as callers use them: completed on any thread, failed, too late. */
class HoldTest {

  private final VirtualClock clock = new VirtualClock();
  private final CompletableFuture<Object> compiled = new CompletableFuture<>();
  private final Hold hold = Hold.until(HoldReason.GRAMMAR, compiled);

  private static Request held(Hold hold) {
    return Request.builder("held", 1, 2, 3, 4, 5).maxTokens(2).hold(hold).build();
  }

  @Test
  void shouldRunAHeldRequestOnceItsStageIsComplete() {
    final Engine engine = builder(executor()).clock(clock).build();
    final RequestHandle handle = engine.submit(held(hold));
    stepUntilIdle(engine);
    clock.sleepUntil(clock.nanoTime() + 5_000);

    assertThat(handle.isDone()).isFalse();
    compiled.complete("grammar");
    stepUntilIdle(engine);

    assertThat(endOf(handle)).isEqualTo("LENGTH/2");
    assertThat(finished(handle).waits().ns(WaitReason.GRAMMAR)).isEqualTo(5_000);
  }

  @Test
  void shouldRunARequestWhoseStageWasComplete() {
    final Engine engine = builder(executor()).clock(clock).build();
    compiled.complete("grammar");

    final RequestHandle handle = engine.submit(held(hold));
    stepUntilIdle(engine);

    assertThat(endOf(handle)).isEqualTo("LENGTH/2");
  }

  @Test
  void shouldEndOnlyTheRequestWhoseStageFails() {
    final Engine engine = builder(executor()).clock(clock).build();
    final RequestHandle handle = engine.submit(held(hold));
    final RequestHandle other = engine.submit(prompt("other", 4, 2));
    final IllegalStateException cause = new IllegalStateException("no such rule");

    compiled.completeExceptionally(cause);
    stepUntilIdle(engine);

    assertThat(endOf(handle)).isEqualTo("HOLD_FAILED/0");
    assertThat(finished(handle).cause()).isSameAs(cause);
    assertThat(endOf(other)).isEqualTo("LENGTH/2");
  }

  @Test
  void shouldEndARequestThatIsHeldForTooLong() {
    final Engine engine = builder(executor()).clock(clock).build();
    final RequestHandle handle = engine.submit(held(hold.withTimeout(Duration.ofNanos(1_000))));
    clock.sleepUntil(clock.nanoTime() + 999);
    stepUntilIdle(engine);
    assertThat(handle.isDone()).isFalse();

    clock.sleepUntil(clock.nanoTime() + 1);
    stepUntilIdle(engine);

    assertThat(endOf(handle)).isEqualTo("HOLD_TIMEOUT/0");
    compiled.complete("too late");
    assertHealthy(engine);
  }

  @Test
  void shouldNotEndARequestWhoseHoldIsOverBeforeItsTimeout() {
    final Engine engine = builder(executor()).clock(clock).build();
    final RequestHandle handle = engine.submit(held(hold.withTimeout(Duration.ofNanos(1_000))));
    compiled.complete("in time");
    engine.step();
    clock.sleepUntil(clock.nanoTime() + 2_000);

    stepUntilIdle(engine);

    assertThat(endOf(handle)).isEqualTo("LENGTH/2");
  }

  @Test
  void shouldRestWhileAllAreHeldAndNotTakeThatForAStall() throws Exception {
    final CompletableFuture<Object> loaded = new CompletableFuture<>();
    try (Engine engine = started(executor())) {
      final RequestHandle handle = engine.submit(held(Hold.until(HoldReason.EXTERNAL, loaded)));
      final RequestHandle other = engine.submit(prompt("other", 4, 2));
      await(other);
      final long steps = engine.stats().steps();

      Thread.startVirtualThread(() -> loaded.complete("from another thread")).join();

      assertThat(endOf(await(handle))).isEqualTo("LENGTH/2");
      assertThat(engine.health().isWell()).isTrue();
      assertThat(engine.stats().steps() - steps).isLessThan(10);
    }
  }

  @Test
  void shouldEndHeldRequestsWhenTheEngineCloses() {
    final Engine engine = builder(executor()).clock(clock).build();
    final RequestHandle handle = engine.submit(held(hold));
    engine.step();

    engine.close();

    assertThat(endOf(handle)).isEqualTo("SHUTDOWN/0");
    compiled.complete("nobody listens");
  }
}
