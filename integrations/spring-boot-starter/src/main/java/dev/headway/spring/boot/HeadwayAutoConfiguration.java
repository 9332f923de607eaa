package dev.headway.spring.boot;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.HealthListener;
import dev.headway.api.executor.Executor;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.SystemNanoClock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An engine of properties and beans, and its life. A bean of the user's replaces each. */
@AutoConfiguration
@EnableConfigurationProperties(HeadwayProperties.class)
public class HeadwayAutoConfiguration {

  private static final Logger LOG = LoggerFactory.getLogger(HeadwayAutoConfiguration.class);

  private static final String EXECUTOR = "headwayExecutor";

  /** Begins to configure. */
  public HeadwayAutoConfiguration() {}

  /** The engine and what it is made of; an engine of the user's replaces all of it. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(Engine.class)
  static class EngineConfiguration {

    @Bean
    @ConditionalOnMissingBean
    NanoClock headwayClock() {
      return new SystemNanoClock();
    }

    /** The engine closes it, or the context, if no engine could be made. */
    @Bean(EXECUTOR)
    @ConditionalOnMissingBean
    Executor headwayExecutor(
        HeadwayProperties properties, NanoClock clock, ApplicationContext context) {
      return inWords(() -> Executors.of(properties, clock, context.getClassLoader()));
    }

    @Bean
    @ConditionalOnMissingBean
    SchedulerConfig headwaySchedulerConfig(HeadwayProperties properties, Executor executor) {
      return inWords(() -> PropertyMapping.config(properties, executor.shape()));
    }

    /** Puts readiness aside while requests make no progress. */
    @Bean
    @ConditionalOnMissingBean
    HealthListener headwayReadiness(ApplicationContext context) {
      return new Readiness(context);
    }

    @Bean
    Engine headwayEngine(
        HeadwayProperties properties,
        NanoClock clock,
        Executor executor,
        SchedulerConfig config,
        HealthListener health,
        ApplicationContext context) {
      final Engine engine =
          inWords(
              () -> {
                final EngineBuilder builder =
                    HeadwayEngine.builder(executor).config(config).clock(clock).onHealth(health);
                final ClassLoader loader = context.getClassLoader();
                if (loader != null) {
                  builder.classLoader(loader);
                }
                PropertyMapping.apply(properties, builder);
                new EngineBeans(context).apply(builder);
                return builder.build();
              });
      LOG.info(
          "engine: executor={}, limits={}, policies='{}', probes={}",
          executor.name(),
          config.limits(),
          properties.scheduling().policies(),
          properties.probes().names());
      warnOfUnused(properties, context);
      return engine;
    }

    /** Properties of an executor say nothing where the application brings one. */
    private static void warnOfUnused(HeadwayProperties properties, ListableBeanFactory beans) {
      if (beans.containsBean(EXECUTOR)) {
        return;
      }
      final HeadwayProperties.KvCache cache = properties.kvCache();
      warnIfSet("headway.executor", properties.executor());
      warnIfSet("headway.kv-cache.blocks", cache.blocks());
      warnIfSet("headway.kv-cache.block-size", cache.blockSize());
    }

    private static void warnIfSet(String key, @Nullable Object value) {
      if (value != null) {
        LOG.warn(
            "{} has no effect beside a bean of type Executor, which brings its own: {}={}",
            key,
            key,
            value);
      }
    }
  }

  /** The user's engine lives with the application too, unless {@code headway.auto-start} is off. */
  @Bean
  @ConditionalOnSingleCandidate(Engine.class)
  @ConditionalOnMissingBean
  EngineLifecycle headwayLifecycle(Engine engine, HeadwayProperties properties) {
    return new EngineLifecycle(engine, properties);
  }

  private static <T> T inWords(Supplier<T> make) {
    try {
      return make.get();
    } catch (HeadwayConfigurationException e) {
      throw e;
    } catch (RuntimeException e) { // options, probes and model folders name what they refuse
      throw new HeadwayConfigurationException(e);
    }
  }
}
