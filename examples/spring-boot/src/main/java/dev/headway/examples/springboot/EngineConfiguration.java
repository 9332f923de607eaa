package dev.headway.examples.springboot;

// @start region="engine"
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.Executor;
import dev.headway.events.live.LiveProbe;
import dev.headway.probes.otel.metric.HeadwayMeters;
import dev.headway.scheduler.engine.HeadwayEngine;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The engine as a bean: it starts with the application and ends with it. */
@Configuration
public class EngineConfiguration {

  /** Spring Boot binds it to its registry, and serves it at /actuator/prometheus. */
  @Bean
  HeadwayMeters headwayMeters() {
    return new HeadwayMeters();
  }

  /** Yours runs a model. */
  @Bean
  Executor executor() {
    return new AlphabetExecutor();
  }

  @Bean // closed by Spring, which ends the requests still alive
  Engine engine(
      Executor executor,
      HeadwayMeters meters,
      ApplicationEventPublisher events,
      @Value("${headway.stall-threshold:30s}") Duration stallThreshold) {
    Engine engine =
        HeadwayEngine.builder(executor)
            .probe(LiveProbe.of(meters))
            .probesFromEnvironment() // VLLM_SCHEDULER_LOGGING=1 and the like
            .stallThreshold(stallThreshold)
            .onHealth( // /actuator/health/readiness is 503 while requests make no progress
                health ->
                    AvailabilityChangeEvent.publish(
                        events,
                        health,
                        health.isWell()
                            ? ReadinessState.ACCEPTING_TRAFFIC
                            : ReadinessState.REFUSING_TRAFFIC))
            .build();
    engine.start(Thread.ofPlatform().name("headway").factory());
    return engine;
  }
}
// @end
