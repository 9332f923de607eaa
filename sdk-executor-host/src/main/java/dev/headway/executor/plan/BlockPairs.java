package dev.headway.executor.plan;

/** Pairs of blocks, from one to the other. One thread at a time; allocates only to grow. */
public final class BlockPairs {
  private int[] blocks = new int[16];
  private int count;

  BlockPairs() {}

  void begin(int pairs) {
    count = pairs;
    if (blocks.length < 2 * pairs) {
      blocks = new int[4 * pairs];
    }
  }

  void set(int index, int source, int target) {
    blocks[2 * index] = source;
    blocks[2 * index + 1] = target;
  }

  /** How many. */
  public int count() {
    return count;
  }

  /** Where the content is; {@code index} in [0, count). */
  public int source(int index) {
    return blocks[2 * index];
  }

  /** Where it goes; {@code index} in [0, count). */
  public int target(int index) {
    return blocks[2 * index + 1];
  }
}
