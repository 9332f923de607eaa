package dev.headway.faultsim;

import dev.headway.api.config.QueuePolicy;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.faultsim.simulation.EngineMaker;
import dev.headway.faultsim.simulation.EngineParts;
import dev.headway.faultsim.simulation.Feature;
import dev.headway.kvcache.BlockHasher;
import dev.headway.kvcache.KvCacheManagers;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.engine.ExecutorFailurePolicy;
import dev.headway.scheduler.engine.FullQueuePolicy;
import dev.headway.scheduler.engine.HeadwayEngine;

/** The engines as users get them: scheduler, both KV caches and policies by name. */
public final class HeadwayEngines implements EngineMaker {

  private static final BlockHasher HASHER = BlockHasher.fixedKey(1, 2);

  /** Makes a maker. */
  public HeadwayEngines() {}

  @Override
  public Engine make(EngineParts parts) {
    return builder(parts).build();
  }

  /** What is made; more can be added. */
  static EngineBuilder builder(EngineParts parts) {
    final EngineBuilder builder = withoutProbes(parts);
    parts.probes().forEach(builder::probe);
    return builder;
  }

  /** What is made but for the probes. */
  static EngineBuilder withoutProbes(EngineParts parts) {
    final EngineBuilder builder =
        HeadwayEngine.builder(parts.executor())
            .config(parts.config())
            .clock(parts.clock())
            .classLoader(HeadwayEngines.class.getClassLoader())
            .policies(parts.policies())
            .kvCache((KvCacheContext context) -> parts.checked(kvCache(context)))
            .submissionQueueCapacity(parts.submissionQueueCapacity())
            .executorTimeout(parts.executorTimeout())
            .onFullQueue(
                parts.has(Feature.EVICTIONS) && parts.config().queuePolicy() == QueuePolicy.PRIORITY
                    ? FullQueuePolicy.EVICT_WORST
                    : FullQueuePolicy.REJECT_NEWCOMER)
            .onExecutorFailure(
                parts.stopsOnExecutorFailure()
                    ? ExecutorFailurePolicy.STOP
                    : ExecutorFailurePolicy.CONTINUE);
    parts.policyNames().forEach(builder::policy);
    if (parts.kvConnector() != null) {
      builder.kvConnector(parts.kvConnector());
    }
    return builder;
  }

  private static KvCacheManager kvCache(KvCacheContext context) {
    return KvCacheManagers.of(context).hasher(HASHER).build();
  }
}
