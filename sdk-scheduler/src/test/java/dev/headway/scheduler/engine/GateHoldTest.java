package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.assertHealthy;
import static dev.headway.scheduler.engine.Engines.await;
import static dev.headway.scheduler.engine.Engines.builder;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.finished;
import static dev.headway.scheduler.engine.Engines.prompt;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.policy.AdmissionGate;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.Hold;
import dev.headway.api.request.HoldReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.WaitReason;
import dev.headway.scheduler.time.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** An admission gate that says what a request waits for, and is not asked before. */
class GateHoldTest {

  private static final Duration LONG = Duration.ofSeconds(60);

  private final VirtualClock clock = new VirtualClock();
  private final CompletableFuture<Object> loaded = new CompletableFuture<>();

  /** Holds each request whose id begins with "held" once, and admits it when asked again. */
  private static final class HoldsOnce implements AdmissionGate {

    private final Supplier<Hold> hold;
    private final List<String> asked = new ArrayList<>();

    HoldsOnce(Supplier<Hold> hold) {
      this.hold = hold;
    }

    @Override
    public Verdict admit(RequestView request, StepView step) {
      final boolean isFirst = !asked.contains(request.id());
      asked.add(request.id());
      return isFirst && request.id().startsWith("held") ? Verdict.HOLD : Verdict.ADMIT;
    }

    @Override
    public Hold hold(RequestView request, StepView step) {
      return hold.get();
    }
  }

  private Hold untilLoaded(HoldReason reason) {
    return Hold.until(reason, loaded).withTimeout(LONG);
  }

  private Engine engine(AdmissionGate gate) {
    return builder(executor()).clock(clock).policies(Policies.builder().gate(gate).build()).build();
  }

  @Test
  void shouldHoldUntilAnyThreadCompletesTheStageAndAskAgainThen() throws Exception {
    final HoldsOnce gate = new HoldsOnce(() -> untilLoaded(HoldReason.ADAPTER_LOADING));
    final Engine engine = engine(gate);
    final RequestHandle handle = engine.submit(prompt("held", 4, 2));
    final RequestHandle other = engine.submit(prompt("other", 4, 2));
    stepUntilIdle(engine);
    assertThat(endOf(other.outcome().toCompletableFuture().join())).isEqualTo("LENGTH/2");
    assertThat(handle.isDone()).isFalse();
    final long heldForNs = 7_000;
    clock.sleepUntil(clock.nanoTime() + heldForNs);

    Thread.startVirtualThread(() -> loaded.complete("here")).join();
    stepUntilIdle(engine);

    assertThat(endOf(await(handle))).isEqualTo("LENGTH/2");
    assertThat(gate.asked).containsExactly("held", "other", "held");
    assertThat(finished(handle).waits().ns(WaitReason.ADAPTER_LOADING))
        .isGreaterThanOrEqualTo(heldForNs);
    assertHealthy(engine);
  }

  @Test
  void shouldHoldUntilAnInstant() {
    final HoldsOnce gate = new HoldsOnce(() -> Hold.untilNs(HoldReason.EXTERNAL, 50_000));
    final Engine engine = engine(gate);
    final RequestHandle handle = engine.submit(prompt("held", 4, 2));
    stepUntilIdle(engine);
    clock.sleepUntil(49_999);
    stepUntilIdle(engine);
    assertThat(handle.isDone()).isFalse();

    clock.sleepUntil(50_000);
    stepUntilIdle(engine);

    assertThat(endOf(await(handle))).isEqualTo("LENGTH/2");
    assertThat(finished(handle).waits().ns(WaitReason.POLICY_DEFERRED)).isPositive();
    assertThat(gate.asked).containsExactly("held", "held");
  }

  @Test
  void shouldEndARequestThatIsHeldForTooLongFromWhenItWasHeld() {
    final Duration timeout = Duration.ofNanos(1_000);
    final HoldsOnce gate =
        new HoldsOnce(() -> Hold.until(HoldReason.EXTERNAL, loaded).withTimeout(timeout));
    final Engine engine = engine(gate);
    clock.sleepUntil(clock.nanoTime() + 900);
    final RequestHandle handle = engine.submit(prompt("held", 4, 2));
    engine.step();
    final long heldNs = clock.nanoTime();
    clock.sleepUntil(heldNs + 900);
    stepUntilIdle(engine);
    assertThat(handle.isDone()).isFalse();

    clock.sleepUntil(heldNs + 1_000);
    stepUntilIdle(engine);

    assertThat(endOf(await(handle))).isEqualTo("HOLD_TIMEOUT/0");
    loaded.complete("too late");
    assertHealthy(engine);
  }

  @Test
  void shouldEndARequestWhoseStageFails() {
    final Engine engine = engine(new HoldsOnce(() -> untilLoaded(HoldReason.EXTERNAL)));
    final RequestHandle handle = engine.submit(prompt("held", 4, 2));
    stepUntilIdle(engine);
    final IllegalStateException cause = new IllegalStateException("no such adapter");

    loaded.completeExceptionally(cause);
    stepUntilIdle(engine);

    assertThat(endOf(await(handle))).isEqualTo("HOLD_FAILED/0");
    assertThat(finished(handle).cause()).isSameAs(cause);
  }

  /** A hold that might never end could stop the queue for ever: the default decides. */
  @Test
  void shouldAdmitARequestWhoseHoldMightNeverEnd() {
    final Engine engine =
        engine(new HoldsOnce(() -> Hold.until(HoldReason.EXTERNAL, new CompletableFuture<>())));
    final RequestHandle handle = engine.submit(prompt("held", 4, 2));

    stepUntilIdle(engine);

    assertThat(endOf(await(handle))).isEqualTo("LENGTH/2");
    assertThat(engine.stats().scheduler().policyFaults()).isEqualTo(1);
  }

  @Test
  void shouldLetACancelledRequestGo() {
    final Engine engine = engine(new HoldsOnce(() -> untilLoaded(HoldReason.EXTERNAL)));
    final RequestHandle handle = engine.submit(prompt("held", 4, 2));
    stepUntilIdle(engine);

    handle.cancel();
    stepUntilIdle(engine);

    assertThat(endOf(await(handle))).isEqualTo("ABORTED/0");
    loaded.complete("nobody listens");
    stepUntilIdle(engine);
    assertHealthy(engine);
  }

  /** A step costs the same however many are held: the gate is asked once about each. */
  @Test
  void shouldNotAskAboutHeldRequestsInEachStep() {
    final int held = 500;
    final HoldsOnce gate = new HoldsOnce(() -> untilLoaded(HoldReason.EXTERNAL));
    final Engine engine = engine(gate);
    final List<RequestHandle> handles = new ArrayList<>();
    for (int i = 0; i < held; i++) {
      handles.add(engine.submit(prompt("held-" + i, 4, 1)));
    }
    engine.step();
    engine.submit(prompt("other", 4, 100));

    stepUntilIdle(engine);

    assertThat(engine.stats().steps()).isGreaterThan(100);
    assertThat(gate.asked).hasSize(held + 1).doesNotHaveDuplicates();
    loaded.complete("here");
    stepUntilIdle(engine);
    assertThat(handles)
        .allSatisfy(handle -> assertThat(endOf(await(handle))).isEqualTo("LENGTH/1"));
  }
}
