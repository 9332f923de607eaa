package dev.headway.kvcache.contract;

import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.testkit.kvcache.KvCacheContract;
import dev.headway.testkit.kvcache.KvCacheSetup;

/** One group with full attention. */
class PagedContractTest extends KvCacheContract {

  @Override
  protected KvCacheManager newManager(KvCacheSetup setup) {
    return Managers.of(setup).build();
  }
}
