package dev.headway.kvcache;

/**
 * The free blocks, least recently used first: a doubly linked list in two int arrays. Every
 * operation is O(1), also taking a block out of the middle. One thread; allocates nothing.
 *
 * <p>Block 0 is the null block and never free, so index 0 serves as the sentinel between tail and
 * head.
 */
final class FreeBlockQueue {

  private static final int SENTINEL = 0;

  private final int[] next;
  private final int[] previous;
  private int size;

  /** Makes a queue of the blocks 1 to {@code numBlocks - 1}, in that order. */
  FreeBlockQueue(int numBlocks) {
    next = new int[numBlocks];
    previous = new int[numBlocks];
    for (int block = 1; block < numBlocks; block++) {
      insertAfter(previous[SENTINEL], block);
    }
  }

  int size() {
    return size;
  }

  /** Takes the block that was freed longest ago. The queue must not be empty. */
  int takeFirst() {
    final int block = next[SENTINEL];
    if (block == SENTINEL) {
      throw new IllegalStateException("a block is taken although none is free");
    }
    remove(block);
    return block;
  }

  /** Removes {@code block} from any position. It must be in the queue. */
  void remove(int block) {
    final int before = previous[block];
    final int after = next[block];
    next[before] = after;
    previous[after] = before;
    size--;
  }

  /** Puts {@code block} at the end: it is reused last. */
  void addLast(int block) {
    insertAfter(previous[SENTINEL], block);
  }

  /**
   * Puts {@code block} behind {@code anchor}, or at the front if {@code anchor} is 0. The front is
   * reused first.
   */
  void insertAfter(int anchor, int block) {
    final int after = next[anchor];
    next[anchor] = block;
    previous[block] = anchor;
    next[block] = after;
    previous[after] = block;
    size++;
  }

  /** Returns the block behind {@code block}, 0 at the end; {@code following(0)} is the head. */
  int following(int block) {
    return next[block];
  }
}
