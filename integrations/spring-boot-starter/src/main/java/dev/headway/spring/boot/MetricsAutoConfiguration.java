package dev.headway.spring.boot;

import dev.headway.probes.otel.metric.HeadwayMeters;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The engine's figures in the registry of the application; Boot binds them and adds its tags. */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnClass({MeterRegistry.class, HeadwayMeters.class})
@ConditionalOnBean(MeterRegistry.class)
class MetricsAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  HeadwayMeters headwayMeters() {
    return new HeadwayMeters();
  }
}
