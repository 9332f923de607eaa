package dev.headway.spring.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.QueueLimits;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineState;
import dev.headway.api.executor.Executor;
import dev.headway.api.policy.AdmissionGate;
import dev.headway.api.policy.Policies;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.request.FinishReason;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.serving.TextExecutor;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Beans of the application are used, and take the place of the starter's. */
class BeansOfTheApplicationTest {

  /** Lists the requests that were queued. */
  private static final class Queued implements Probe {
    private final List<String> ids = new CopyOnWriteArrayList<>();

    @Override
    public void onQueued(QueuedEvent event) {
      ids.add(event.request().id());
    }

    @Override
    public void close() {}
  }

  private static final AdmissionGate CLOSED = (request, step) -> AdmissionGate.Verdict.REJECT;

  @Test
  void shouldTakeTheExecutorOfABean() {
    Contexts.answering("ab")
        .run(
            context -> {
              assertThat(context).doesNotHaveBean("headwayExecutor");
              assertThat(
                      Contexts.end(Contexts.submit(context.getBean(Engine.class), "one", 3))
                          .outputTokenIds())
                  .startsWith('a', 'b');
            });
  }

  @Test
  void shouldWarnOfPropertiesThatABeanMakesVoid() {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, UTF_8));
    try {
      Contexts.answering("ab")
          .withPropertyValues("headway.kv-cache.blocks=99")
          .run(context -> assertThat(context).hasNotFailed());
    } finally {
      System.setErr(before);
    }

    assertThat(log.toString(UTF_8))
        .contains(
            "headway.kv-cache.blocks has no effect beside a bean of type Executor,"
                + " which brings its own: headway.kv-cache.blocks=99");
  }

  @Test
  void shouldTakeTheEngineOfABean() {
    Engine[] seen = new Engine[1];
    Contexts.empty()
        .withBean(
            "own", Engine.class, () -> HeadwayEngine.builder(new TextExecutor("own", 64)).build())
        .run(
            context -> {
              seen[0] = context.getBean(Engine.class);
              assertThat(context).doesNotHaveBean(Executor.class).hasSingleBean(Engine.class);
              assertThat(seen[0].state()).isEqualTo(EngineState.RUNNING);
            });

    assertThat(seen[0].state()).isEqualTo(EngineState.CLOSED);
  }

  @Test
  void shouldLeaveTheStartOfAnEngineToTheApplication() {
    Contexts.answering("ab")
        .withPropertyValues("headway.auto-start=false")
        .run(
            context ->
                assertThat(context.getBean(Engine.class).state()).isEqualTo(EngineState.NEW));
  }

  @Test
  void shouldTakeTheSettingsOfABean() {
    Contexts.answering("ab")
        .withBean(
            SchedulerConfig.class,
            () ->
                SchedulerConfig.builder(
                        SchedulerLimits.builder()
                            .maxNumSeqs(3)
                            .maxNumBatchedTokens(77)
                            .maxModelLen(99)
                            .build())
                    .queueLimits(new QueueLimits(5, 0))
                    .build())
        .run(
            context ->
                assertThat(context.getBean(Engine.class).limits().queueLimits())
                    .isEqualTo(new QueueLimits(5, 0)));
  }

  @Test
  void shouldGiveProbesToTheEngine() {
    Queued probe = new Queued();
    Contexts.answering("ab")
        .withBean(Queued.class, () -> probe)
        .run(
            context -> {
              Contexts.end(Contexts.submit(context.getBean(Engine.class), "seen", 3));

              assertThat(probe.ids).containsExactly("seen");
            });
  }

  @Test
  void shouldGivePoliciesToTheEngine() {
    Contexts.answering("ab")
        .withBean(AdmissionGate.class, () -> CLOSED)
        .run(
            context ->
                assertThat(
                        Contexts.end(Contexts.submit(context.getBean(Engine.class), "one", 3))
                            .reason())
                    .isEqualTo(FinishReason.REJECTED_BY_POLICY));
  }

  @Test
  void shouldRefuseTwoPoliciesForADecision() {
    Contexts.answering("ab")
        .withBean("gate", AdmissionGate.class, () -> CLOSED)
        .withBean(Policies.class, () -> Policies.builder().gate(CLOSED).build())
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageStartingWith(
                        "each decision takes one policy; choose one: decision=gate"));
  }

  @Test
  void shouldLetCustomizersHaveTheLastWord() {
    Contexts.answering("ab")
        .withBean(
            EngineCustomizer.class,
            () -> builder -> builder.policies(Policies.builder().gate(CLOSED).build()))
        .run(
            context ->
                assertThat(
                        Contexts.end(Contexts.submit(context.getBean(Engine.class), "one", 3))
                            .reason())
                    .isEqualTo(FinishReason.REJECTED_BY_POLICY));
  }
}
