package dev.headway.spring.boot;

import dev.headway.api.engine.EngineHealth;
import dev.headway.api.engine.HealthListener;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationEventPublisher;

/**
 * An application is not ready while its engine stalls: {@code /actuator/health/readiness} is 503
 * then. A refusal that is another's is not taken back. The engine's watching thread.
 */
final class Readiness implements HealthListener {

  private final ApplicationEventPublisher events;
  private boolean refuses;

  Readiness(ApplicationEventPublisher events) {
    this.events = events;
  }

  @Override
  public synchronized void onHealth(EngineHealth health) {
    if (health.isWell() != refuses) {
      return;
    }
    refuses = !health.isWell();
    AvailabilityChangeEvent.publish(
        events,
        health,
        refuses ? ReadinessState.REFUSING_TRAFFIC : ReadinessState.ACCEPTING_TRAFFIC);
  }
}
