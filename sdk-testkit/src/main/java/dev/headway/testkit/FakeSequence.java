package dev.headway.testkit;

import dev.headway.api.kvcache.KvSequence;

/** The same block table in every group, as a test says. Not thread-safe. */
public final class FakeSequence implements KvSequence {

  private final int groups;
  private final int[] blocks;

  /** Makes a sequence that holds these blocks. */
  public FakeSequence(int groups, int... blocks) {
    this.groups = groups;
    this.blocks = blocks.clone();
  }

  @Override
  public int groupCount() {
    return groups;
  }

  @Override
  public int blockCount(int group) {
    return blocks.length;
  }

  @Override
  public int blockId(int group, int index) {
    return blocks[index];
  }

  @Override
  public void copyBlockIds(int group, int from, int[] target, int offset, int length) {
    System.arraycopy(blocks, from, target, offset, length);
  }

  @Override
  public int sharedPrefixTokens() {
    return 0;
  }
}
