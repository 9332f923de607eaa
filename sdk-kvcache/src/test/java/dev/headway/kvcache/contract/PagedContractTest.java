package dev.headway.kvcache.contract;

import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.testkit.kvcache.KvCacheContract;

/** One group with full attention. */
class PagedContractTest extends KvCacheContract {

  @Override
  protected KvCacheManager kvCache(KvCacheContext context) {
    return Managers.of(context).build();
  }
}
