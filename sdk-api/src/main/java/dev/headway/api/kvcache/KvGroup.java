package dev.headway.api.kvcache;

/**
 * Layers of a model that keep their KV in the same way and share block tables. A model with one
 * kind of attention has one group; a hybrid model has several, all drawing from the same blocks.
 *
 * <p>What each kind keeps is described in vLLM's {@code kv_cache_interface.py}.
 */
public sealed interface KvGroup {

  /** Tokens per block of this group. */
  int blockSize();

  /** The word for this kind in files and messages. */
  String label();

  /**
   * Blocks that a sequence of {@code tokens} tokens holds in this group when none are shared: what
   * must be free before it can be admitted whole.
   *
   * @param maxInFlightTokens most tokens that can be scheduled and not yet processed; a window
   *     keeps their predecessors too
   * @param maxModelLen longest sequence, in tokens
   */
  int blocksToHold(int tokens, int maxInFlightTokens, int maxModelLen);

  /** Attention to the whole context: every block stays. */
  record FullAttention(int blockSize) implements KvGroup {

    /** Validates the components. */
    public FullAttention {
      requirePositive("blockSize", blockSize);
    }

    @Override
    public String label() {
      return "full";
    }

    @Override
    public int blocksToHold(int tokens, int maxInFlightTokens, int maxModelLen) {
      return ceilDiv(tokens, blockSize);
    }
  }

  /**
   * Attention to the last {@code windowTokens} tokens: blocks that left the window are released.
   *
   * @param windowTokens tokens a token attends to, itself included, >= 1
   */
  record SlidingWindow(int blockSize, int windowTokens) implements KvGroup {

    /** Validates the components. */
    public SlidingWindow {
      requirePositive("blockSize", blockSize);
      requirePositive("windowTokens", windowTokens);
    }

    @Override
    public String label() {
      return "sliding_window";
    }

    @Override
    public int blocksToHold(int tokens, int maxInFlightTokens, int maxModelLen) {
      final long held = Math.min((long) windowTokens - 1 + maxInFlightTokens, maxModelLen);
      return Math.min(ceilDiv(tokens, blockSize), ceilDiv((int) held, blockSize) + 1);
    }
  }

  /**
   * Attention within chunks of {@code chunkTokens} tokens: blocks of earlier chunks are released.
   *
   * @param chunkTokens tokens of a chunk, >= 1
   */
  record ChunkedLocal(int blockSize, int chunkTokens) implements KvGroup {

    /** Validates the components. */
    public ChunkedLocal {
      requirePositive("blockSize", blockSize);
      requirePositive("chunkTokens", chunkTokens);
    }

    @Override
    public String label() {
      return "chunked_local";
    }

    @Override
    public int blocksToHold(int tokens, int maxInFlightTokens, int maxModelLen) {
      final long held = Math.min((long) chunkTokens + maxInFlightTokens, maxModelLen);
      return Math.min(ceilDiv(tokens, blockSize), ceilDiv((int) held, blockSize));
    }
  }

  /**
   * A recurrent state in place of keys and values; a block is the state after its last token.
   *
   * @param speculativeBlocks more states kept for draft tokens, >= 0
   */
  record Mamba(int blockSize, int speculativeBlocks) implements KvGroup {

    /** Validates the components. */
    public Mamba {
      requirePositive("blockSize", blockSize);
      if (speculativeBlocks < 0) {
        throw new IllegalArgumentException(
            "speculativeBlocks must be >= 0: speculativeBlocks=" + speculativeBlocks);
      }
    }

    @Override
    public String label() {
      return "mamba";
    }

    @Override
    public int blocksToHold(int tokens, int maxInFlightTokens, int maxModelLen) {
      return 1 + speculativeBlocks;
    }
  }

  private static int ceilDiv(int tokens, int blockSize) {
    return (int) (((long) tokens + blockSize - 1) / blockSize);
  }

  private static void requirePositive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be >= 1: " + name + "=" + value);
    }
  }
}
