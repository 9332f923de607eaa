package dev.headway.kvcache;

import dev.headway.api.kvcache.KvGroup;

/** Attention to everything: a hit needs every block from the first. */
final class FullAttentionManager extends BlockwiseManager {

  FullAttentionManager(CacheParts parts, KvGroup.FullAttention layers, int[] groups) {
    super(parts, layers, groups);
  }

  @Override
  int skippedTokens(int tokens) {
    return 0;
  }

  @Override
  public boolean isClosedDownwards() {
    return true;
  }

  @Override
  public int dropTokens() {
    return geometry.partialHits() && unitsPerBlock > 1 ? geometry.unit() : blockSize;
  }

  @Override
  public int search(GroupedSequence seq, int limit, boolean dropLast) {
    int blocks = 0;
    while (blocks < limit / blockSize && isHeld(seq.path, blocks)) {
      blocks++;
    }
    match(seq, 0, blocks);
    int length = blocks * blockSize;
    if (geometry.partialHits() && unitsPerBlock > 1) {
      length = searchInside(seq, limit, blocks);
    }
    if (dropLast && length > 0) {
      length -= Math.min(geometry.hitUnit(), blockSize);
    }
    length = length / geometry.hitUnit() * geometry.hitUnit();
    cut(seq, length);
    return length;
  }

  /** Looks for the longest registered part of the block behind the full ones. */
  private int searchInside(GroupedSequence seq, int limit, int blocks) {
    final int first = blocks * unitsPerBlock;
    final int most = Math.min(limit / geometry.unit(), first + unitsPerBlock - 1);
    for (int units = most; units > first; units--) {
      if (isUnitHeld(seq.path, units - 1)) {
        for (int group : groups) {
          final BlockTable table = seq.tables[group];
          table.ensureCapacity(blocks + 1);
          table.blocks[blocks] = parts.held().firstBlock(seq.path.content(units - 1), group);
          table.matched = blocks + 1;
        }
        return units * geometry.unit();
      }
    }
    return blocks * blockSize;
  }

  @Override
  public void cut(GroupedSequence seq, int tokens) {
    for (int group : groups) {
      seq.tables[group].matched = blocksFor(tokens);
    }
  }

  @Override
  public void registerPart(
      GroupedSequence seq, BlockTable table, int findable, int computed, long writer) {
    parts.partials().registerPromptEnd(seq, table, findable, writer);
  }

  @Override
  public boolean keepsWholeContext() {
    return true;
  }
}
