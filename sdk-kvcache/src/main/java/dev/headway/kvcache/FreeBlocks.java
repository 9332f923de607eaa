package dev.headway.kvcache;

import dev.headway.api.request.KvCacheRetention;
import java.util.Arrays;

/*
 * One doubly linked list for the blocks without content and one for each priority, all in two int
 * arrays. The list of the empty has its sentinel at 0, which is the null block's number; those of
 * the priorities have theirs behind the blocks.
 */

/**
 * The free blocks in the order in which they are taken: those without content, then those of the
 * lowest priority, and of these the one that was freed longest ago. With one priority, as without
 * any wish of a request, that is vLLM's order.
 *
 * <p>Every operation is O(1), also taking a block out of the middle. One thread; allocates nothing.
 */
final class FreeBlocks {

  private static final int EMPTY = 0;
  private static final int LEVELS = KvCacheRetention.PINNED + 1;

  private final int numBlocks;
  private final int[] next;
  private final int[] previous;

  /** Level of each block that has been added with a content. */
  private final byte[] levels;

  /** A bit for each priority that has blocks. */
  private long lowLevels;

  private long highLevels;
  private int size;
  private int pinned;

  /** Has the blocks 1 to {@code numBlocks - 1}, in that order, without content. */
  FreeBlocks(int numBlocks) {
    this.numBlocks = numBlocks;
    next = new int[numBlocks + LEVELS];
    previous = new int[numBlocks + LEVELS];
    levels = new byte[numBlocks];
    Arrays.setAll(next, i -> i);
    Arrays.setAll(previous, i -> i);
    for (int block = 1; block < numBlocks; block++) {
      link(previous[EMPTY], block);
    }
    size = numBlocks - 1;
  }

  /** Blocks that can be taken. */
  int size() {
    return size;
  }

  /** Blocks that no request holds and that cannot be taken. */
  int pinned() {
    return pinned;
  }

  /** Whether {@code block}, which must be here, is pinned. */
  boolean isPinned(int block) {
    return levels[block] == KvCacheRetention.PINNED;
  }

  /** Takes the first block. There must be one. */
  int takeFirst() {
    final int block = following(EMPTY);
    if (block == EMPTY) {
      throw new IllegalStateException("a block is taken although none is free");
    }
    remove(block);
    return block;
  }

  /** Removes {@code block}, which must be here, from any position. */
  void remove(int block) {
    final int before = previous[block];
    final int after = next[block];
    next[before] = after;
    previous[after] = before;
    if (before == after && before >= numBlocks) { // only the sentinel is left
      setLevel(before - numBlocks, false);
    }
    if (isPinned(block)) {
      pinned--;
    } else {
      size--;
    }
    levels[block] = 0;
  }

  /** Puts a block with content behind those of its level: a priority, or pinned. */
  void addLast(int block, int level) {
    final int sentinel = numBlocks + level;
    link(previous[sentinel], block);
    setLevel(level, true);
    levels[block] = (byte) level;
    if (level == KvCacheRetention.PINNED) {
      pinned++;
    } else {
      size++;
    }
  }

  /**
   * Puts a block without content behind {@code anchor}, which has none either, or at the front if
   * {@code anchor} is 0.
   */
  void insertAfter(int anchor, int block) {
    link(anchor, block);
    size++;
  }

  /**
   * Returns the block that is taken after {@code block}, 0 at the end; {@code following(0)} is the
   * first.
   */
  int following(int block) {
    int after = next[block];
    if (after == EMPTY || after >= numBlocks) {
      final int behind = after == EMPTY ? 0 : after - numBlocks + 1;
      final int level = nextLevel(behind);
      after = level == LEVELS ? EMPTY : next[numBlocks + level];
    }
    return after;
  }

  /** The lowest priority >= {@code from} that has blocks, or {@link #LEVELS}. */
  private int nextLevel(int from) {
    if (from < Long.SIZE) {
      final long left = lowLevels >>> from;
      if (left != 0) {
        return from + Long.numberOfTrailingZeros(left);
      }
    }
    final int high = Math.max(0, from - Long.SIZE);
    final long left = high < Long.SIZE ? highLevels >>> high : 0;
    return left == 0 ? LEVELS : Long.SIZE + high + Long.numberOfTrailingZeros(left);
  }

  private void setLevel(int level, boolean used) {
    if (level == KvCacheRetention.PINNED) {
      return; // never looked for
    }
    final long bit = 1L << level; // of 64
    if (level < Long.SIZE) {
      lowLevels = used ? lowLevels | bit : lowLevels & ~bit;
    } else {
      highLevels = used ? highLevels | bit : highLevels & ~bit;
    }
  }

  private void link(int anchor, int block) {
    final int after = next[anchor];
    next[anchor] = block;
    previous[block] = anchor;
    next[block] = after;
    previous[after] = block;
  }
}
