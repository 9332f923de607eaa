package dev.headway.kvcache.contract;

import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.testkit.kvcache.KvCacheContract;
import dev.headway.testkit.kvcache.KvCacheSetup;

/** One group with full attention, and a tier in host memory that is too small. */
class HostTierContractTest extends KvCacheContract {

  @Override
  protected KvCacheManager newManager(KvCacheSetup setup) {
    return Managers.of(setup).offload(new KvOffloadOptions(9)).build();
  }
}
