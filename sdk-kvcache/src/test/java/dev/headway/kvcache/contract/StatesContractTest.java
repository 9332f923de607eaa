package dev.headway.kvcache.contract;

import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.PrefixRetention;
import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.testkit.kvcache.KvCacheContract;
import java.util.List;

/** Recurrent states beside full attention, found in parts of blocks. */
class StatesContractTest extends KvCacheContract {

  @Override
  protected List<KvGroup> groups() {
    return List.of(new KvGroup.FullAttention(8), new KvGroup.Mamba(8, 0));
  }

  @Override
  protected PrefixCacheOptions prefixCache() {
    return PrefixCacheOptions.builder().matchUnit(4).retention(PrefixRetention.DENSE).build();
  }

  @Override
  protected KvCacheManager kvCache(KvCacheContext context) {
    return Managers.of(context).build();
  }
}
