package dev.headway.kvcache;

import dev.headway.api.kvcache.KvGroup;

/** Attention to the last tokens: a hit needs only the blocks at its end. */
final class SlidingWindowManager extends BlockwiseManager {

  private final int windowTokens;
  private final int windowBlocks;
  private final RetentionMask mask;

  SlidingWindowManager(CacheParts parts, KvGroup.SlidingWindow layers, int[] groups) {
    super(parts, layers, groups);
    windowTokens = layers.windowTokens();
    windowBlocks = Math.max(1, RetentionMask.blocksInWindow(layers));
    mask = RetentionMask.of(geometry, layers);
  }

  @Override
  int skippedTokens(int tokens) {
    return Math.max(0, tokens - windowTokens + 1);
  }

  /** From the right, the first run of blocks that fills the window, or reaches the beginning. */
  @Override
  public int search(GroupedSequence seq, int limit, boolean dropLast) {
    final int dropped = dropLast ? 1 : 0;
    final int wanted = windowBlocks + dropped;
    int end = 0;
    int run = 0;
    for (int i = Math.min(limit / blockSize, seq.path.found() / unitsPerBlock) - 1;
        i >= 0 && run < wanted;
        i--) {
      if (!isHeld(seq.path, i)) {
        run = 0;
      } else if (run > 0) {
        run++;
      } else if (isAligned(i + 1 - dropped)) {
        run = 1;
        end = i + 1;
      }
    }
    if (run < wanted) {
      end = aligned(run);
    }
    final int start = run < wanted ? 0 : end - run;
    end = end == 0 ? 0 : aligned(end - dropped);
    match(seq, Math.min(start, end), end);
    return end * blockSize;
  }

  private boolean isAligned(int blocks) {
    return blocks * blockSize % geometry.hitUnit() == 0;
  }

  private int aligned(int blocks) {
    return blocks * blockSize / geometry.hitUnit() * geometry.hitUnit() / blockSize;
  }

  @Override
  public boolean keeps(int index, GroupedSequence seq) {
    return mask.keeps(index, seq);
  }
}
