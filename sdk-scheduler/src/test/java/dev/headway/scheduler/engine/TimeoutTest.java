package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.assertHealthy;
import static dev.headway.scheduler.engine.Engines.builder;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.finished;
import static dev.headway.scheduler.engine.Engines.prompt;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.request.Hold;
import dev.headway.api.request.HoldReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestTimeouts;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.ResetScope;
import dev.headway.scheduler.time.VirtualClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** How long requests may wait for their first admission, and run from there. */
class TimeoutTest {

  private static final Duration LONGEST = Duration.ofNanos(1_000);

  private final VirtualClock clock = new VirtualClock();

  private static Request.Builder request(String id, int outputs) {
    return Request.builder(id, 1, 2, 3, 4, 5).maxTokens(outputs);
  }

  private void pass(long ns) {
    clock.sleepUntil(clock.nanoTime() + ns);
  }

  /** One seat, which {@code running} has. */
  private Engine engineWithOneSeat(RequestTimeouts timeouts) {
    return builder(executor())
        .limits(
            SchedulerLimits.builder()
                .maxNumSeqs(1)
                .maxNumBatchedTokens(64)
                .maxModelLen(128)
                .build())
        .clock(clock)
        .defaultTimeouts(timeouts)
        .build();
  }

  @Test
  void shouldEndARequestThatIsNotAdmittedInTime() {
    final Engine engine = engineWithOneSeat(RequestTimeouts.NONE);
    final RequestHandle running = engine.submit(request("running", 100).build());
    final RequestHandle waiting =
        engine.submit(request("waiting", 2).queueTimeout(LONGEST).build());
    engine.step();
    pass(999);
    engine.step();
    assertThat(waiting.isDone()).isFalse();

    pass(1);
    engine.step();

    assertThat(endOf(waiting)).isEqualTo("QUEUE_TIMEOUT/0");
    assertThat(running.isDone()).isFalse();
  }

  @Test
  void shouldEndAHeldRequestThatIsNotAdmittedInTime() {
    final Engine engine = builder(executor()).clock(clock).build();
    final Hold hold = Hold.until(HoldReason.EXTERNAL, new CompletableFuture<>());
    final RequestHandle held =
        engine.submit(request("held", 2).hold(hold).queueTimeout(LONGEST).build());
    engine.step();
    pass(1_000);

    engine.step();

    assertThat(endOf(held)).isEqualTo("QUEUE_TIMEOUT/0");
    assertHealthy(engine);
  }

  @Test
  void shouldNotCountThePreemptedAsWaitingForTheirFirstAdmission() {
    final Engine engine = builder(executor()).clock(clock).build();
    final RequestHandle handle = engine.submit(request("a", 8).queueTimeout(LONGEST).build());
    engine.step();
    engine.resetPrefixCache(ResetScope.PREEMPT_RUNNING);
    engine.setPauseState(PauseState.NO_ADMISSIONS);
    engine.step();
    pass(2_000);
    engine.step();
    assertThat(handle.isDone()).isFalse();

    engine.setPauseState(PauseState.RUNNING);
    stepUntilIdle(engine);

    assertThat(endOf(handle)).isEqualTo("LENGTH/8");
    assertThat(finished(handle).preemptions()).isEqualTo(1);
  }

  @Test
  void shouldEndARequestThatRunsForTooLong() {
    final Engine engine = engineWithOneSeat(RequestTimeouts.NONE);
    final RequestHandle first = engine.submit(request("first", 2).build());
    final RequestHandle second = engine.submit(request("second", 50).runTimeout(LONGEST).build());
    engine.step();
    pass(5_000);
    while (!first.isDone()) {
      engine.step();
    }
    engine.step(); // admitted only now
    assertThat(second.isDone()).isFalse();
    pass(1_000);

    engine.step();

    assertThat(endOf(second)).startsWith("RUN_TIMEOUT/");
    assertThat(finished(second).outputTokens()).isPositive();
    assertHealthy(engine);
  }

  @Test
  void shouldCountTheTimeAfterAPreemptionAsRunning() {
    final Engine engine = builder(executor()).clock(clock).build();
    final RequestHandle handle = engine.submit(request("a", 8).runTimeout(LONGEST).build());
    engine.step();
    engine.resetPrefixCache(ResetScope.PREEMPT_RUNNING);
    engine.setPauseState(PauseState.NO_ADMISSIONS);
    engine.step();
    pass(1_000);

    engine.step();

    assertThat(endOf(handle)).isEqualTo("RUN_TIMEOUT/1");
  }

  @Test
  void shouldEndByTheLimitThatPassesFirst() {
    final Engine engine = engineWithOneSeat(RequestTimeouts.NONE);
    engine.submit(request("running", 100).build());
    final RequestHandle handle =
        engine.submit(request("a", 2).queueTimeout(LONGEST).timeout(Duration.ofNanos(999)).build());
    engine.step();
    pass(5_000);

    engine.step();

    assertThat(endOf(handle)).isEqualTo("DEADLINE/0");
  }

  @Test
  void shouldUseTheEnginesDefaultsWhereARequestSaysNothing() {
    final Engine engine =
        engineWithOneSeat(RequestTimeouts.NONE.withQueue(LONGEST).withRun(Duration.ofSeconds(9)));
    engine.submit(request("running", 100).build());
    final RequestHandle own =
        engine.submit(request("own", 2).queueTimeout(Duration.ofSeconds(9)).build());
    final RequestHandle byDefault = engine.submit(request("default", 2).build());
    engine.step();
    pass(1_000);

    engine.step();

    assertThat(endOf(byDefault)).isEqualTo("QUEUE_TIMEOUT/0");
    assertThat(own.isDone()).isFalse();
  }

  @Test
  void shouldRecordTheDefaultsWithTheRun() {
    final AtomicReference<RunInfo> recorded = new AtomicReference<>();
    builder(executor())
        .clock(clock)
        .defaultTimeouts(RequestTimeouts.NONE.withQueue(Duration.ofSeconds(30)))
        .probe(
            new Probe() {
              @Override
              public void onRunStarted(RunInfo run) {
                recorded.set(run);
              }
            })
        .build();

    assertThat(recorded.get().attributes())
        .containsEntry("queue_timeout", "PT30S")
        .doesNotContainKeys("run_timeout", "request_timeout");
  }

  @Test
  void shouldNotEndARequestThatWasInTime() {
    final Engine engine = builder(executor()).clock(clock).build();
    final RequestHandle handle =
        engine.submit(request("a", 3).queueTimeout(LONGEST).runTimeout(LONGEST).build());
    stepUntilIdle(engine);
    pass(5_000);

    engine.step();

    assertThat(endOf(handle)).isEqualTo("LENGTH/3");
    assertThat(endOf(engine.submit(prompt("too long", 200, 1)))).isEqualTo("CONTEXT_LENGTH_LIMIT");
  }
}
