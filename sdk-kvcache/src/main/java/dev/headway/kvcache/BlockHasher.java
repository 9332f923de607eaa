package dev.headway.kvcache;

import dev.headway.kvcache.wire.VllmBlockHasher;

/**
 * How blocks of KV are named: by a hash of 64 bits over a block's tokens, and over everything
 * before it. It is what {@link dev.headway.api.kvcache.KvCacheEvent}s, journals and CSV carry.
 *
 * <p>Inside the cache the hash only selects a bucket: tokens are compared before a hit is accepted,
 * so a collision can never hand out a wrong prefix.
 *
 * <ul>
 *   <li>A {@linkplain #randomKey random key}, unless chosen: no client can send prompts that all
 *       fall into one bucket, and no name can be guessed from a prompt.
 *   <li>A {@linkplain #fixedKey known key}: equal names in every run, for simulations.
 *   <li>{@linkplain #sha256Cbor vLLM's names}: other systems' indexes agree. Five times slower,
 *       where the processor has instructions for SHA-256; and a client can compute them, so it can
 *       find prompts that fall into one bucket, and make lookups slow.
 * </ul>
 *
 * <p>Immutable; any thread.
 */
public abstract sealed class BlockHasher permits KeyedBlockHasher, VllmNamedBlocks {

  BlockHasher() {}

  /** Returns a hasher with a random secret key. */
  public static BlockHasher randomKey() {
    return KeyedBlockHasher.withRandomKey();
  }

  /** Returns a hasher with a known key: equal hashes in every run. */
  public static BlockHasher fixedKey(long key0, long key1) {
    return new KeyedBlockHasher(key0, key1);
  }

  /**
   * Returns a hasher that names blocks as vLLM 0.28 does with {@code --prefix-caching-hash-algo
   * sha256_cbor}: the low 64 bits of the digest, which vLLM publishes where integer block hashes
   * are switched on. See {@link VllmBlockHasher}.
   *
   * <p>For caches in which every group of layers has the same block size.
   *
   * @param seed value of {@code PYTHONHASHSEED}, or {@link VllmBlockHasher#DEFAULT_SEED}
   * @throws IllegalArgumentException if it is not well-formed Unicode
   */
  public static BlockHasher sha256Cbor(String seed) {
    return new VllmNamedBlocks(seed);
  }

  /**
   * What makes the chain of each request.
   *
   * @param unit tokens that a hash is over
   */
  abstract BlockHashChain.Factory chains(int unit);
}
