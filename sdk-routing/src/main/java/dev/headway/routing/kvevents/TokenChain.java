package dev.headway.routing.kvevents;

import dev.headway.api.internal.SplitMix64;
import java.security.SecureRandom;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Places blocks by their tokens and all tokens in front of them: a chain of 64-bit hashes with a
 * secret seed, so that prompts cannot be made to collide. Immutable.
 */
final class TokenChain {

  private final long seed;

  private TokenChain(long seed) {
    this.seed = seed;
  }

  static TokenChain random() {
    return new TokenChain(new SecureRandom().nextLong());
  }

  /** The place in front of every first block of a size. */
  long begin(int blockSize) {
    return mix(seed, blockSize);
  }

  /**
   * The place of the block behind {@code place}.
   *
   * @param extra keys beside the adapter; the adapter's name among them counts once
   */
  long next(
      long place,
      int[] tokens,
      int from,
      int blockSize,
      @Nullable String adapter,
      @Nullable List<String> extra) {
    long hash = mix(place, seed);
    for (int i = from; i < from + blockSize; i++) {
      hash = mix(hash, tokens[i]);
    }
    if (adapter != null) {
      hash = text(hash, adapter);
    }
    if (extra != null) {
      for (String key : extra) {
        if (!key.equals(adapter)) {
          hash = text(hash, key);
        }
      }
    }
    return hash;
  }

  private static long text(long hash, String text) {
    long mixed = mix(hash, ~(long) text.length());
    for (int i = 0; i < text.length(); i++) {
      mixed = mix(mixed, text.charAt(i));
    }
    return mixed;
  }

  private static long mix(long hash, long value) {
    return SplitMix64.mix(hash * SplitMix64.GOLDEN_GAMMA + value);
  }
}
