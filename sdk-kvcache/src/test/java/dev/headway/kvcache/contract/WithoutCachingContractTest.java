package dev.headway.kvcache.contract;

import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.testkit.kvcache.KvCacheContract;

/** A cache in which nothing is found. */
class WithoutCachingContractTest extends KvCacheContract {

  @Override
  protected PrefixCacheOptions prefixCache() {
    return PrefixCacheOptions.disabled();
  }

  @Override
  protected KvCacheManager kvCache(KvCacheContext context) {
    return Managers.of(context).build();
  }
}
