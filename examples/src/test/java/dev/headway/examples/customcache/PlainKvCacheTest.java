package dev.headway.examples.customcache;

import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.testkit.kvcache.KvCacheContract;
import dev.headway.testkit.kvcache.KvCacheSetup;

// @start region="contract"
class PlainKvCacheTest extends KvCacheContract {

  @Override
  protected KvCacheManager newManager(KvCacheSetup setup) {
    return new PlainKvCache(setup.shape());
  }
}
// @end
