package dev.headway.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.engine.Engine;
import dev.headway.events.live.LiveProbe;
import dev.headway.events.live.RecordConsumer;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunModel;
import dev.headway.probes.dashboard.state.RequestLookup;
import dev.headway.probes.otel.metric.HeadwayMeters;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.serving.TextExecutor;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Who observes the engine, and when nobody does. */
class ObservationTest {

  private static final String EXPOSED = "management.endpoints.web.exposure.include=headway";

  private final ApplicationContextRunner application =
      Contexts.answering("an answer")
          .withConfiguration(
              AutoConfigurations.of(
                  MetricsAutoConfiguration.class,
                  EndpointAutoConfiguration.class,
                  LiveAutoConfiguration.class));

  @Test
  void shouldObserveNothingThatNobodyAsksFor() {
    application.run(
        context ->
            assertThat(context)
                .doesNotHaveBean(HeadwayMeters.class)
                .doesNotHaveBean(HeadwayEndpoint.class)
                .doesNotHaveBean(LiveProbe.class));
  }

  @Test
  void shouldMeasureWhereThereIsARegistry() {
    application
        .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(HeadwayMeters.class)
                    .hasSingleBean(LiveProbe.class)
                    .doesNotHaveBean(RequestLookup.class));
  }

  @Test
  void shouldFollowRequestsWhereTheEndpointIsExposed() {
    application
        .withPropertyValues(EXPOSED)
        .run(
            context -> {
              Contexts.end(Contexts.submit(context.getBean(Engine.class), "one", 3));

              RequestAnswer answer =
                  (RequestAnswer) context.getBean(HeadwayEndpoint.class).request("one").getBody();
              assertThat(answer.phase()).isEqualTo("ended");
              assertThat(answer.promptTokens()).isEqualTo(3);
            });
  }

  @Test
  void shouldSayThatAnEngineWithoutTheProbeIsNotObserved() {
    Contexts.empty()
        .withConfiguration(
            AutoConfigurations.of(EndpointAutoConfiguration.class, LiveAutoConfiguration.class))
        .withPropertyValues(EXPOSED)
        .withBean(Engine.class, () -> HeadwayEngine.builder(new TextExecutor("own", 64)).build())
        .run(
            context -> {
              WebEndpointResponse<?> answer = context.getBean(HeadwayEndpoint.class).requests();

              assertThat(answer.getStatus()).isEqualTo(503);
              assertThat(answer.getBody())
                  .isEqualTo(
                      Map.of(
                          "message",
                          "the engine must have been built with the bean of type LiveProbe: give"
                              + " it to its builder"));
            });
  }

  @Test
  void shouldReadRecordsOnTheThreadsThatBootChooses() {
    for (boolean virtual : new boolean[] {true, false}) {
      BlockingQueue<Boolean> seen = new LinkedBlockingQueue<>();
      application
          .withPropertyValues("spring.threads.virtual.enabled=" + virtual)
          .withBean(
              RecordConsumer.class,
              () ->
                  new RunModel(
                      new RunListener() {
                        @Override
                        public void onQueued(RequestTimeline request) {
                          seen.add(Thread.currentThread().isVirtual());
                        }
                      }))
          .run(
              context -> {
                Contexts.end(Contexts.submit(context.getBean(Engine.class), "one", 3));

                assertThat(seen.poll(30, TimeUnit.SECONDS)).isEqualTo(virtual);
              });
    }
  }
}
