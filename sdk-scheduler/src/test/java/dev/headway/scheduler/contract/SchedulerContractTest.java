package dev.headway.scheduler.contract;

import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.engine.SchedulerContext;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.schedule.Scheduler;
import dev.headway.kvcache.BlockHasher;
import dev.headway.kvcache.KvCacheManagers;
import dev.headway.scheduler.core.ContinuousBatchingScheduler;
import dev.headway.testkit.scheduler.SchedulerContract;

/** The default scheduler keeps the contract. */
class SchedulerContractTest extends SchedulerContract {

  @Override
  protected Scheduler create(SchedulerContext context) {
    return ContinuousBatchingScheduler.of(context);
  }

  @Override
  protected KvCacheManager kvCache(KvCacheContext context) {
    return defaultKvCache(context);
  }

  static KvCacheManager defaultKvCache(KvCacheContext context) {
    return KvCacheManagers.of(context).hasher(BlockHasher.fixedKey(1, 2)).build();
  }
}
