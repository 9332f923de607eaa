package dev.headway.kvcache.contract;

import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.testkit.kvcache.KvCacheContract;

/** One group with full attention, and a tier in host memory that is too small. */
class HostTierContractTest extends KvCacheContract {

  @Override
  protected KvCacheManager kvCache(KvCacheContext context) {
    return Managers.of(context)
        .offload(new KvOffloadOptions(context.config().prefixCache().isEnabled() ? 9 : 0))
        .build();
  }
}
