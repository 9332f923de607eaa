package dev.headway.kvcache.contract;

import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.PrefixRetention;
import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.testkit.kvcache.KvCacheContract;
import java.util.List;

/** Full attention beside a window. */
class WindowContractTest extends KvCacheContract {

  @Override
  protected List<KvGroup> groups() {
    return List.of(new KvGroup.FullAttention(4), new KvGroup.SlidingWindow(4, 6));
  }

  @Override
  protected PrefixCacheOptions prefixCache() {
    return PrefixCacheOptions.builder().retention(PrefixRetention.DENSE).build();
  }

  @Override
  protected KvCacheManager kvCache(KvCacheContext context) {
    return Managers.of(context).build();
  }
}
