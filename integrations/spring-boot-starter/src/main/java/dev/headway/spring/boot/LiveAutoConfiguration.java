package dev.headway.spring.boot;

import dev.headway.events.live.LiveOptions;
import dev.headway.events.live.LiveProbe;
import dev.headway.events.live.RecordConsumer;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * One probe for all beans that take records: the metrics, the endpoint, those of the application.
 * An engine that the application makes itself has to be given it.
 */
@AutoConfiguration(after = {MetricsAutoConfiguration.class, EndpointAutoConfiguration.class})
@ConditionalOnBean(RecordConsumer.class)
class LiveAutoConfiguration {

  private static final String THREAD = "headway-live-probe";

  @Bean
  @ConditionalOnMissingBean
  LiveProbe headwayLiveProbe(List<RecordConsumer> consumers, Environment environment) {
    final LiveOptions usual = LiveOptions.DEFAULT;
    return LiveProbe.of(
        new LiveOptions(
            usual.level(), usual.ringBytes(), usual.overflow(), threads(environment, usual)),
        consumers);
  }

  private static ThreadFactory threads(Environment environment, LiveOptions usual) {
    return VirtualThreads.areEnabled(environment)
        ? task -> Thread.ofVirtual().name(THREAD).unstarted(task)
        : usual.threads();
  }
}
