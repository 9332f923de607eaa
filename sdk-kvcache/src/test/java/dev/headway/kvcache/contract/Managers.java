package dev.headway.kvcache.contract;

import dev.headway.api.engine.KvCacheContext;
import dev.headway.kvcache.BlockHasher;
import dev.headway.kvcache.KvCacheManagers;

/** The managers of this module, for the contract. */
final class Managers {

  private Managers() {}

  static KvCacheManagers.Builder of(KvCacheContext context) {
    return KvCacheManagers.of(context).hasher(BlockHasher.fixedKey(1, 2));
  }
}
