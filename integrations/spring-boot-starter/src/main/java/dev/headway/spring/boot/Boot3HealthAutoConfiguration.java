package dev.headway.spring.boot;

import dev.headway.api.engine.Engine;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** The engine in /actuator/health, with the classes of Boot 3. */
@AutoConfiguration(after = HeadwayAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnSingleCandidate(Engine.class)
@ConditionalOnEnabledHealthIndicator("headway")
class Boot3HealthAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(name = "headwayHealthIndicator")
  HealthIndicator headwayHealthIndicator(Engine engine) {
    return () -> {
      final HealthFacts facts = HealthFacts.of(engine);
      return Health.status(facts.status()).withDetails(facts.details()).build();
    };
  }
}
