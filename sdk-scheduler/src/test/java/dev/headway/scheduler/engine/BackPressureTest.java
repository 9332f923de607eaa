package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.LIMITS;
import static dev.headway.scheduler.engine.Engines.builder;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.prompt;
import static dev.headway.scheduler.engine.Engines.rejected;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.QueueLimits;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.request.RejectReason;
import org.junit.jupiter.api.Test;

/** How much may wait, and policies by name: what the engine adds to the scheduler's settings. */
class BackPressureTest {

  @Test
  void shouldRejectMoreRequestsThanMayBeQueued() {
    final Engine engine = engine(new QueueLimits(2, 0));
    engine.submit(prompt("a", 5, 2));
    engine.submit(prompt("b", 5, 2));

    final RequestHandle third = engine.submit(prompt("c", 5, 2));

    assertThat(rejected(third).reason()).isEqualTo(RejectReason.QUEUE_FULL);
    assertThat(rejected(third).message())
        .isEqualTo(
            "requests waiting or running must be < maxNumQueuedReqs: id=c, queuedReqs=2,"
                + " maxNumQueuedReqs=2; retry later");
    stepUntilIdle(engine);
    final RequestHandle again = engine.submit(prompt("c", 5, 2));
    stepUntilIdle(engine);
    assertThat(endOf(again)).isEqualTo("LENGTH/2");
  }

  @Test
  void shouldRejectAPromptThatLetsTooManyTokensWait() {
    final Engine engine = engine(new QueueLimits(0, 20));
    engine.submit(prompt("a", 15, 9));

    final RequestHandle second = engine.submit(prompt("b", 6, 2));

    assertThat(rejected(second).reason()).isEqualTo(RejectReason.QUEUED_TOKENS);
    assertThat(rejected(second).message())
        .isEqualTo(
            "prompt tokens waiting must be <= maxNumQueuedTokens: id=b, promptTokens=6,"
                + " queuedTokens=15, maxNumQueuedTokens=20; retry later");
  }

  @Test
  void shouldCountAPromptUntilItIsComputed() {
    final Engine engine = engine(new QueueLimits(0, 20));
    engine.submit(prompt("a", 15, 9));
    engine.step(); // its prompt is computed, and it goes on

    final RequestHandle second = engine.submit(prompt("b", 6, 2));
    stepUntilIdle(engine);

    assertThat(endOf(second)).isEqualTo("LENGTH/2");
  }

  @Test
  void shouldFreeThePlaceOfACancelledRequest() {
    final Engine engine = engine(new QueueLimits(1, 20));
    engine.submit(prompt("a", 15, 9)).cancel();
    stepUntilIdle(engine);

    final RequestHandle second = engine.submit(prompt("b", 20, 2));
    stepUntilIdle(engine);

    assertThat(endOf(second)).isEqualTo("LENGTH/2");
  }

  @Test
  void shouldScheduleByANamedPolicy() {
    final Engine engine =
        builder(executor())
            .config(SchedulerConfig.builder(LIMITS).maxNumActiveSeqs(1).build())
            .policy("shortest-job")
            .build();
    final RequestHandle longer = engine.submit(prompt("long", 20, 20));
    final RequestHandle shorter = engine.submit(prompt("short", 2, 2));

    engine.step();
    engine.step();

    assertThat(shorter.isDone()).isTrue();
    assertThat(longer.isDone()).isFalse();
  }

  @Test
  void shouldNameThePoliciesFoundWhenOneIsMissing() {
    final EngineBuilder given = builder(executor()).policy("shortest-jobb");

    assertThatThrownBy(given::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("no policy named 'shortest-jobb': found=[")
        .hasMessageContaining("shortest-job,");
  }

  @Test
  void shouldRefuseTheSamePolicyTwice() {
    final EngineBuilder given = builder(executor()).policy("fcfs");

    assertThatThrownBy(() -> given.policy("fcfs"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a policy must be named once: name='fcfs'");
  }

  @Test
  void shouldComputePromptsOnlyInEverySoManiethStepWhileOthersDecode() {
    final Engine engine =
        builder(executor())
            .config(SchedulerConfig.builder(LIMITS).prefillScheduleInterval(4).build())
            .build();
    final RequestHandle decodes = engine.submit(prompt("decodes", 3, 40));
    engine.step(); // 1: nobody decodes yet
    final RequestHandle prompt = engine.submit(prompt("prompt", 9, 1));

    engine.step(); // 2
    engine.step(); // 3
    assertThat(prompt.isDone()).isFalse();
    engine.step(); // 4

    assertThat(prompt.isDone()).isTrue();
    assertThat(decodes.isDone()).isFalse();
  }

  private static Engine engine(QueueLimits limits) {
    return builder(executor())
        .config(SchedulerConfig.builder(LIMITS).queueLimits(limits).build())
        .build();
  }
}
