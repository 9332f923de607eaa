package dev.headway.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineState;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.request.FinishReason;
import dev.headway.serving.TextExecutor;
import dev.headway.serving.Until;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** The engine's life is the application's. */
class EngineLifecycleTest {

  private final TextExecutor executor = new TextExecutor("an answer of many letters", 256);
  private final List<String> readiness = new CopyOnWriteArrayList<>();

  private AnnotationConfigApplicationContext application(Map<String, Object> properties) {
    AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext();
    application
        .getEnvironment()
        .getPropertySources()
        .addFirst(new MapPropertySource("of the test", properties));
    application.registerBean(TextExecutor.class, () -> executor);
    application.register(HeadwayAutoConfiguration.class);
    application.addApplicationListener(
        (ApplicationListener<AvailabilityChangeEvent<ReadinessState>>)
            event -> readiness.add(event.getState().name()));
    application.refresh();
    return application;
  }

  @Test
  void shouldFinishWhatIsUnderWayBeforeTheApplicationEnds() throws Exception {
    // given
    AnnotationConfigApplicationContext application = application(Map.of());
    Engine engine = application.getBean(Engine.class);
    executor.hold();
    RequestHandle handle = Contexts.submit(engine, "under way", 5);

    // when
    Thread closing = new Thread(application::close, "closing");
    closing.start();
    Until.holds(() -> engine.state() == EngineState.DRAINING && waits(closing));
    assertThat(closing.getStackTrace())
        .as("it drains, and does not close yet")
        .anyMatch(
            frame ->
                frame.getClassName().equals(EngineLifecycle.class.getName())
                    && frame.getMethodName().equals("stop"));
    executor.letAll();

    // then
    assertThat(Contexts.end(handle).reason()).isEqualTo(FinishReason.LENGTH);
    assertThat(closing.join(Duration.ofSeconds(30))).isTrue();
    assertThat(engine.state()).isEqualTo(EngineState.CLOSED);
  }

  @Test
  void shouldEndInTimeWhatDoesNotEndByItself() throws Exception {
    // given
    AnnotationConfigApplicationContext application =
        application(Map.of("headway.drain-timeout", "20ms"));
    Engine engine = application.getBean(Engine.class);
    executor.hold();
    RequestHandle held = Contexts.submit(engine, "in a step that is held", 5);
    Until.holds(() -> engine.health().heldBy().equals("the executor"));
    RequestHandle queued = Contexts.submit(engine, "queued", 5);

    // when
    application.close();

    // then
    assertThat(held.isDone()).isTrue();
    assertThat(queued.isDone()).isTrue();
    assertThat(Contexts.end(held).reason()).isEqualTo(FinishReason.EXECUTOR_FAILED);
    assertThat(Contexts.end(queued).reason()).isEqualTo(FinishReason.SHUTDOWN);
  }

  @Test
  void shouldSayThatADrainedEngineDoesNotStartAgain() {
    try (AnnotationConfigApplicationContext application = application(Map.of())) {
      application.stop();

      assertThatThrownBy(application::start)
          .rootCause()
          .hasMessage(
              "an engine is started once, and its context with it; make a new context:"
                  + " state=DRAINING");
    }
  }

  @Test
  void shouldNotBeReadyWhileTheEngineStalls() throws Exception {
    try (AnnotationConfigApplicationContext application =
        application(Map.of("headway.stall-threshold", "50ms"))) {
      // when
      executor.hold();
      RequestHandle handle = Contexts.submit(application.getBean(Engine.class), "held", 3);
      Until.holds(() -> readiness.contains("REFUSING_TRAFFIC"));
      executor.letAll();

      // then
      Until.holds(() -> readiness.contains("ACCEPTING_TRAFFIC"));
      assertThat(readiness).startsWith("REFUSING_TRAFFIC", "ACCEPTING_TRAFFIC");
      assertThat(Contexts.end(handle).reason()).isEqualTo(FinishReason.LENGTH);
    }
  }

  private static boolean waits(Thread thread) {
    return thread.getState() == Thread.State.WAITING
        || thread.getState() == Thread.State.TIMED_WAITING;
  }
}
