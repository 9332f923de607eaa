package dev.headway.scheduler.policy.order;

import dev.headway.api.kvcache.ItemKey;
import dev.headway.api.policy.Candidates;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.RequestView;
import java.util.Arrays;
import java.util.Objects;

/**
 * Finds waiting requests that had better wait for an earlier one with the same beginning: it fills
 * the cache, the others find it there. A candidate is held back if the cache has at most {@code
 * check} tokens of it and it shares its first {@code share} tokens, salt and adapter with an
 * earlier candidate of that kind that is not held back.
 *
 * <p>Source: SGLang's in-batch prefix caching ({@code IN_BATCH_PREFIX_CACHING_*_THRESHOLD}, both
 * 32), which matches in a radix tree of the queue. That two requests share at least {@code share}
 * tokens is all that is asked, so a hash table of the first {@code share} tokens does.
 *
 * <p>Engine thread only; each order needs its own. Tables grow and stay, nothing else is allocated.
 */
public final class SharedPrefixes {

  /** Holds no request back. */
  private static final int OFF = Integer.MAX_VALUE;

  private static final long NO_REQUEST = -1;
  private static final int LEAST_SIZE = 32;

  private final int check;
  private final int share;
  private boolean[] held = new boolean[0];
  private int[] table = new int[0];

  /** Requests whose hash is known, each at its number modulo the length: most come again. */
  private long[] hashed = new long[0];

  private int[] hashes = new int[0];

  /**
   * Makes the rule.
   *
   * @param check most cached tokens of a request that is looked at, >= 0
   * @param share tokens that must be shared, >= 1; 0 holds no request back
   */
  public SharedPrefixes(int check, int share) {
    this.check = check;
    this.share = share == 0 ? OFF : share;
    resize(LEAST_SIZE);
  }

  /** Decides on the candidates; {@link #isHeld} returns the decision. */
  void examine(Candidates candidates, StepView step) {
    final int size = candidates.size();
    if (held.length < size) {
      resize(2 * Integer.highestOneBit(size));
    }
    Arrays.fill(held, 0, size, false);
    if (share == OFF) {
      return;
    }
    Arrays.fill(table, -1);
    for (int index = 0; index < size; index++) {
      final RequestView request = candidates.request(index);
      if (request.knownTokens() >= share && step.cachedPrefixTokens(request) <= check) {
        held[index] = !insert(candidates, index);
      }
    }
  }

  /** Makes room for a power of two of candidates, in tables at most half full. */
  private void resize(int size) {
    held = new boolean[size];
    table = new int[2 * size];
    hashed = new long[4 * size];
    Arrays.fill(hashed, NO_REQUEST);
    hashes = new int[4 * size];
  }

  /** Whether candidate {@code index} should wait for an earlier one. */
  boolean isHeld(int index) {
    return held[index];
  }

  /** Returns whether no earlier candidate has the same beginning. */
  private boolean insert(Candidates candidates, int index) {
    final RequestView request = candidates.request(index);
    final int mask = table.length - 1;
    int slot = knownHash(request) & mask;
    while (table[slot] >= 0) {
      if (sharePrefix(candidates.request(table[slot]), request)) {
        return request.request().prefixReuse() == PrefixReuse.SKIPPED;
      }
      slot = (slot + 1) & mask;
    }
    table[slot] = index;
    return true;
  }

  /** The first tokens of a request never change. */
  private int knownHash(RequestView request) {
    final long number = request.number();
    final int slot = (int) number & (hashed.length - 1);
    if (hashed[slot] != number) {
      hashed[slot] = number;
      hashes[slot] = hash(request);
    }
    return hashes[slot];
  }

  private int hash(RequestView request) {
    int hash = 1;
    for (int position = 0; position < share; position++) {
      hash = 31 * hash + request.tokenId(position);
    }
    return hash ^ (hash >>> 15);
  }

  private boolean sharePrefix(RequestView a, RequestView b) {
    for (int position = 0; position < share; position++) {
      if (a.tokenId(position) != b.tokenId(position)) {
        return false;
      }
    }
    return Objects.equals(a.request().cacheSalt(), b.request().cacheSalt())
        && Objects.equals(a.request().lora(), b.request().lora())
        && ItemKey.ofBlock(a.request().items(), 0, share)
            .equals(ItemKey.ofBlock(b.request().items(), 0, share));
  }
}
