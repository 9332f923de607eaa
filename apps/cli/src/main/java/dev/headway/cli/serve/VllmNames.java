package dev.headway.cli.serve;

import dev.headway.kvcache.wire.VllmBlockHashChain;
import dev.headway.kvcache.wire.VllmBlockHasher;
import dev.headway.routing.kvevents.BlockNames;
import dev.headway.routing.kvevents.codec.KvBlockHash;
import org.jspecify.annotations.Nullable;

/** Names blocks as vLLM does with {@code sha256_cbor}, in full digests. One thread. */
final class VllmNames implements BlockNames {

  private final String seed;
  private @Nullable VllmBlockHasher hasher;

  VllmNames(String seed) {
    this.seed = seed;
  }

  @Override
  public KvBlockHash name(
      @Nullable KvBlockHash parent,
      int[] tokens,
      int from,
      int blockSize,
      @Nullable String adapter,
      @Nullable String salt) {
    final VllmBlockHashChain chain =
        parent == null
            ? of(blockSize).chain(adapter, salt)
            : of(blockSize).chainBehind(parent.bytes(), adapter);
    chain.append(tokens, from);
    return KvBlockHash.ofDigest(chain.digest());
  }

  private VllmBlockHasher of(int blockSize) {
    VllmBlockHasher current = hasher;
    if (current == null || current.blockSize() != blockSize) {
      current = VllmBlockHasher.withSeed(blockSize, seed);
      hasher = current;
    }
    return current;
  }
}
