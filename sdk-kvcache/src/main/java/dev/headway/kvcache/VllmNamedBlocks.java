package dev.headway.kvcache;

import dev.headway.kvcache.wire.VllmBlockHashChain;
import dev.headway.kvcache.wire.VllmBlockHasher;

/** Names blocks by the low 64 bits of vLLM's digests. Immutable. */
final class VllmNamedBlocks extends BlockHasher {

  private final String seed;

  VllmNamedBlocks(String seed) {
    VllmBlockHasher.withSeed(1, seed); // refuses a text that has no UTF-8 form
    this.seed = seed;
  }

  @Override
  BlockHashChain.Factory chains(int unit) {
    final VllmBlockHasher hasher = VllmBlockHasher.withSeed(unit, seed);
    return (request, items) -> {
      final VllmBlockHashChain chain = hasher.chain(request);
      return tokens -> {
        if (items != null) {
          chain.items(items.all());
        }
        chain.append(tokens, 0);
        return chain.low64();
      };
    };
  }
}
