package dev.headway.kvcache;

import dev.headway.api.kvcache.ItemKey;
import dev.headway.api.kvcache.KvCacheEvents;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the cached blocks contain: contents of one block in a {@link PrefixTree}, and the blocks
 * that hold each. Several blocks can hold one content (two requests computed it side by side); a
 * content that lost its blocks stays as long as a longer one extends it.
 *
 * <p>One thread. Lookups and changes allocate nothing; the arrays grow when contents without blocks
 * outnumber the spare room.
 */
final class PrefixIndex implements BlockContents {

  static final int NONE = PrefixTree.NONE;

  private final PrefixTree tree;
  private final PrefixNodeTable nodes;
  private final int[] contentOfBlock;
  private final int[] nextTwin;
  private final int[] previousTwin;
  private int contentsWithBlocks;
  private long version;

  /** Keeps reads ahead from being compiled away. */
  @SuppressWarnings("unused")
  private int touched;

  /**
   * Makes an empty index.
   *
   * @param numBlocks number of blocks of the pool
   * @param initialContents contents to make room for at once; more make it grow
   */
  PrefixIndex(int numBlocks, int initialContents, int blockSize) {
    contentOfBlock = filled(numBlocks, NONE);
    nextTwin = filled(numBlocks, NONE);
    previousTwin = filled(numBlocks, NONE);
    tree = new PrefixTree(blockSize, initialContents);
    nodes = tree.nodes();
  }

  /**
   * Returns the root for a {@link PrefixScope} ("" for none): the content before the first block.
   * The caller pins it until {@link #releaseRoot}.
   */
  int acquireRoot(String scope) {
    return tree.pinRoot(scope);
  }

  /** Gives a root back; it goes with its last content. */
  void releaseRoot(int root) {
    tree.unpin(root);
  }

  /** Grows by one with every change of what a lookup could find. */
  long version() {
    return version;
  }

  /** Number of contents that at least one block holds. */
  int contentsWithBlocks() {
    return contentsWithBlocks;
  }

  @Override
  public boolean isCached(int block) {
    return contentOfBlock[block] != NONE;
  }

  /** The content of {@code block}, or {@link #NONE}. */
  int contentOf(int block) {
    return contentOfBlock[block];
  }

  /** Whether another block holds what {@code block}, which holds a content, does. */
  boolean isTwin(int block) {
    return nextTwin[block] != NONE || previousTwin[block] != NONE;
  }

  /** Contents there is room for; numbers are below. */
  int contentCapacity() {
    return tree.capacity();
  }

  /** Keeps a content, and all before it, though no block may hold it. */
  void pin(int content) {
    tree.pin(content);
  }

  /** Takes a pin back. */
  void unpin(int content) {
    tree.unpin(content);
  }

  /** The block that holds a content for the longest time, or {@link #NONE}. */
  int firstBlockOf(int content) {
    return nodes.firstBlock(content);
  }

  /** See {@link PrefixTree#mayFind}. */
  boolean mayFind(long blockHash) {
    return tree.mayFind(blockHash);
  }

  /** See {@link PrefixTree#find}. */
  int find(
      long blockHash, int parentContent, int[] source, int offset, @Nullable List<ItemKey> items) {
    return tree.find(blockHash, parentContent, source, offset, items);
  }

  /**
   * Says that {@code block} holds these tokens behind {@code parentContent}; returns the content.
   */
  int store(
      int block,
      long blockHash,
      int parentContent,
      int[] source,
      int offset,
      @Nullable List<ItemKey> items) {
    final int content = tree.findOrCreate(blockHash, parentContent, source, offset, items);
    if (contentOfBlock[block] != content) { // two that share a block may both compute it anew
      hold(block, content);
    }
    return content;
  }

  /**
   * Reads what storing contents with these hashes will read. In a large pool each is a miss of the
   * cache; here they wait for memory side by side, in the stores one after the other.
   */
  void touch(PagedSequence seq, int from, int to) {
    int read = 0;
    for (int i = from; i < to; i++) {
      read += tree.touch(seq.hash(i));
    }
    touched = read;
  }

  @Override
  public void touch(int[] blocks, int from, int to) {
    int read = 0;
    for (int i = from; i < to; i++) {
      read += tree.touchContent(Math.max(contentOfBlock[blocks[i]], 0));
    }
    touched = read;
  }

  /** Says that {@code block}, which holds nothing, holds {@code content}. */
  void hold(int block, int content) {
    final int last = nodes.lastBlock(content);
    if (last == NONE) {
      contentsWithBlocks++;
      tree.pin(content);
      nodes.setFirstBlock(content, block);
    } else {
      nextTwin[last] = block;
      previousTwin[block] = last;
    }
    nodes.setLastBlock(content, block);
    contentOfBlock[block] = content;
    version++;
  }

  /** Forgets what {@code block} holds; returns the hash of it. The block must hold a content. */
  long remove(int block) {
    final int content = contentOfBlock[block];
    final long removed = nodes.hash(content);
    final int before = previousTwin[block];
    final int after = nextTwin[block];
    if (before == NONE) {
      nodes.setFirstBlock(content, after);
    } else {
      nextTwin[before] = after;
    }
    if (after == NONE) {
      nodes.setLastBlock(content, before);
    } else {
      previousTwin[after] = before;
    }
    nextTwin[block] = NONE;
    previousTwin[block] = NONE;
    contentOfBlock[block] = NONE;
    version++;
    if (nodes.firstBlock(content) == NONE) {
      contentsWithBlocks--;
      tree.unpin(content);
    }
    return removed;
  }

  @Override
  public void evict(int block, KvCacheEvents events) {
    events.removed(remove(block), 0);
  }

  private static int[] filled(int length, int value) {
    final int[] array = new int[length];
    Arrays.fill(array, value);
    return array;
  }
}
