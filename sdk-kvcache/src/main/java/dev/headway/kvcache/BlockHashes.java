package dev.headway.kvcache;

import dev.headway.api.request.RequestView;
import java.util.Arrays;

/**
 * The hashes of a request's blocks from the first on, each computed once. One thread; allocates
 * only to grow.
 */
final class BlockHashes {

  private final BlockHashChain chain;
  private final RequestView request;
  private final int[] blockTokens;
  private long[] hashes = new long[8];
  private int count;

  /**
   * Has none yet.
   *
   * @param blockTokens scratch for the tokens of a block, shared with other requests
   */
  BlockHashes(BlockHashChain chain, RequestView request, int[] blockTokens) {
    this.chain = chain;
    this.request = request;
    this.blockTokens = blockTokens;
  }

  /** Whether the hash of {@code block} was computed. */
  boolean has(int block) {
    return block < count;
  }

  /** A hash that was computed. */
  long get(int block) {
    return hashes[block];
  }

  /** Computes one more. */
  void loadNext() {
    load(count);
  }

  /**
   * Puts the tokens of {@code block} into the scratch and returns its hash; those before it must
   * have been computed.
   */
  long load(int block) {
    request.copyTokenIds(block * blockTokens.length, blockTokens, 0, blockTokens.length);
    if (block == count) {
      reserve(count + 1);
      hashes[count++] = chain.append(blockTokens);
    }
    return hashes[block];
  }

  /** Makes room, so that computing as many allocates nothing. */
  void reserve(int blocks) {
    if (hashes.length < blocks) {
      hashes = Arrays.copyOf(hashes, Math.max(blocks, 2 * hashes.length));
    }
  }
}
