package dev.headway.kvcache;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * {@code hash(block) = SipHash-1-3(key, hash of the block before, tokens)}; items that overlap the
 * block are hashed behind its tokens.
 *
 * <p>With a secret key no client can send prompts that all fall into one bucket (unlike a seeded
 * xxHash, SipHash resists that: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012).
 *
 * <p>Immutable; any thread; {@link #block} allocates nothing.
 */
final class KeyedBlockHasher extends BlockHasher {

  private static final long C0 = 0x736f6d6570736575L;
  private static final long C1 = 0x646f72616e646f6dL;
  private static final long C2 = 0x6c7967656e657261L;
  private static final long C3 = 0x7465646279746573L;

  private final long key0;
  private final long key1;

  KeyedBlockHasher(long key0, long key1) {
    this.key0 = key0;
    this.key1 = key1;
  }

  /** Returns a hasher with a random secret key. */
  static KeyedBlockHasher withRandomKey() {
    final SecureRandom random = new SecureRandom();
    return new KeyedBlockHasher(random.nextLong(), random.nextLong());
  }

  @Override
  BlockHashChain.Factory chains(int unit) {
    return (request, items) -> new Chain(root(PrefixScope.of(request)), items);
  }

  /**
   * Returns the hash in front of the first block of requests of a {@link PrefixScope}; "" for none.
   */
  long root(String scope) {
    final byte[] bytes = scope.getBytes(StandardCharsets.UTF_8);
    final int[] words = new int[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      words[i] = bytes[i];
    }
    return block(0L, words, 0, words.length);
  }

  /**
   * Returns the hash of a block.
   *
   * @param parent hash of the block before, or of the root
   * @param tokens token ids; {@code length} of them from {@code offset} on
   */
  long block(long parent, int[] tokens, int offset, int length) {
    long v0 = key0 ^ C0;
    long v1 = key1 ^ C1;
    long v2 = key0 ^ C2;
    long v3 = key1 ^ C3;
    final int words = 1 + (length + 1) / 2;
    for (int word = 0; word <= words; word++) {
      final long m;
      if (word == 0) {
        m = parent;
      } else if (word == words) {
        m = (long) length << 32 | 0xffL;
      } else {
        m = pair(tokens, offset, length, 2 * (word - 1));
      }
      v3 ^= m;
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      v0 ^= m;
    }
    v2 ^= 0xff;
    for (int round = 0; round < 3; round++) {
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }

  private static long pair(int[] tokens, int offset, int length, int index) {
    final long low = tokens[offset + index] & 0xffffffffL;
    final long high = index + 1 < length ? (long) tokens[offset + index + 1] << 32 : 0L;
    return low | high;
  }

  private final class Chain implements BlockHashChain {
    private final @Nullable BlockItems items;
    private long last;
    private int blocks;

    Chain(long root, @Nullable BlockItems items) {
      this.items = items;
      last = root;
    }

    @Override
    public long append(int[] tokens) {
      last = block(last, tokens, 0, tokens.length);
      if (items != null) {
        final int[] words = items.words(blocks);
        last = words.length == 0 ? last : block(last, words, 0, words.length);
      }
      blocks++;
      return last;
    }
  }
}
