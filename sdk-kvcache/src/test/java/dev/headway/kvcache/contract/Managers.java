package dev.headway.kvcache.contract;

import dev.headway.kvcache.BlockHasher;
import dev.headway.kvcache.KvCacheManagers;
import dev.headway.testkit.kvcache.KvCacheSetup;

/** The managers of this module, for the contract. */
final class Managers {

  private Managers() {}

  static KvCacheManagers.Builder of(KvCacheSetup setup) {
    return KvCacheManagers.builder(setup.shape(), setup.maxModelLen())
        .maxInFlightTokens(setup.maxInFlightTokens())
        .hasher(BlockHasher.fixedKey(1, 2))
        .listener(setup.listener());
  }
}
