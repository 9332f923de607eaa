package dev.headway.kvcache.contract;

import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.testkit.kvcache.KvCacheContract;
import dev.headway.testkit.kvcache.KvCacheSetup;

/** A cache in which nothing is found. */
class WithoutCachingContractTest extends KvCacheContract {

  @Override
  protected KvCacheManager newManager(KvCacheSetup setup) {
    return Managers.of(setup).prefixCache(PrefixCacheOptions.disabled()).build();
  }
}
