package dev.headway.examples.customcache;

import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.testkit.kvcache.KvCacheContract;

// @start region="contract"
class PlainKvCacheTest extends KvCacheContract {

  @Override
  protected KvCacheManager kvCache(KvCacheContext context) {
    return new PlainKvCache(context);
  }
}
// @end
