package dev.headway.spring.boot;

import dev.headway.api.config.AdmissionOptions;
import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.QueueLimits;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.policy.PolicySpec;
import dev.headway.api.request.RequestTimeouts;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.spring.boot.HeadwayProperties.Limits;
import dev.headway.spring.boot.HeadwayProperties.Requests;
import dev.headway.spring.boot.HeadwayProperties.Scheduling;
import java.util.Map;

/** The properties as the engine's own options. Stateless. */
final class PropertyMapping {

  private PropertyMapping() {}

  /**
   * The scheduler's settings.
   *
   * @throws IllegalArgumentException naming the options that contradict each other
   */
  static SchedulerConfig config(HeadwayProperties properties, ExecutorShape shape) {
    final Limits limits = properties.limits();
    final Scheduling scheduling = properties.scheduling();
    return SchedulerConfig.builder(limits(limits, shape))
        .queueLimits(new QueueLimits(limits.maxNumQueuedReqs(), limits.maxNumQueuedTokens()))
        .queuePolicy(scheduling.queuePolicy())
        .chunkedPrefill(scheduling.chunkedPrefill())
        .longPrefillTokenThreshold(scheduling.longPrefillTokenThreshold())
        .prefixCache(
            scheduling.prefixCache() ? PrefixCacheOptions.DEFAULT : PrefixCacheOptions.disabled())
        .admission(
            new AdmissionOptions(
                AdmissionOptions.DEFAULT.fullSequenceGate(), scheduling.watermark()))
        .kvOffload(new KvOffloadOptions(Executors.hostBlocks(properties)))
        .build();
  }

  private static SchedulerLimits limits(Limits limits, ExecutorShape shape) {
    final SchedulerLimits.Builder builder = SchedulerLimits.builder(shape);
    if (limits.maxNumSeqs() != null) {
      builder.maxNumSeqs(limits.maxNumSeqs());
    }
    if (limits.maxNumBatchedTokens() != null) {
      builder.maxNumBatchedTokens(limits.maxNumBatchedTokens());
    }
    if (limits.maxModelLen() != null) {
      builder.maxModelLen(limits.maxModelLen());
    }
    return builder.build();
  }

  /**
   * Sets what is no setting of the scheduler.
   *
   * @throws IllegalArgumentException if a probe or a policy is named twice, or the policies cannot
   *     be read
   */
  static void apply(HeadwayProperties properties, EngineBuilder builder) {
    final Requests requests = properties.requests();
    builder
        .defaultTimeouts(
            RequestTimeouts.NONE
                .withTotal(requests.timeout())
                .withQueue(requests.queueTimeout())
                .withRun(requests.runTimeout()))
        .streamInterval(requests.streamInterval())
        .onFullQueue(properties.scheduling().onFullQueue())
        .onExecutorFailure(properties.onExecutorFailure());
    if (properties.limits().submissionQueueCapacity() != null) {
      builder.submissionQueueCapacity(properties.limits().submissionQueueCapacity());
    }
    if (properties.executorTimeout() != null) {
      builder.executorTimeout(properties.executorTimeout());
    }
    if (properties.stallThreshold() != null) {
      builder.stallThreshold(properties.stallThreshold());
    }
    properties.attributes().forEach(builder::attribute);
    PolicySpec.parse(properties.scheduling().policies()).forEach(builder::policy);
    probes(properties, builder);
  }

  private static void probes(HeadwayProperties properties, EngineBuilder builder) {
    final HeadwayProperties.Probes probes = properties.probes();
    for (String name : probes.names()) {
      builder.probe(name, probes.options().getOrDefault(name, Map.of()));
    }
    final String journal = properties.journal().directory();
    if (journal != null) {
      builder.probe("chronicle", Map.of("dir", journal));
    }
    if (probes.fromEnvironment()) {
      builder.probesFromEnvironment();
    }
  }
}
