package dev.headway.api.kvcache;

/**
 * Block tables for tests that look at their lengths.
 *
 * @param counts blocks of each group, numbered from 0
 */
public record BlockCounts(int sharedPrefixTokens, int... counts) implements KvSequence {

  @Override
  public int groupCount() {
    return counts.length;
  }

  @Override
  public int blockCount(int group) {
    return counts[group];
  }

  @Override
  public int blockId(int group, int index) {
    return index;
  }

  @Override
  public void copyBlockIds(int group, int from, int[] target, int offset, int length) {}
}
