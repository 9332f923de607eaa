package dev.headway.kvcache;

import dev.headway.api.kvcache.KvCacheEvents;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/*
 * A content is a block of tokens behind another content, or behind a root. Contents form a tree; a
 * content's number stands for its tokens and everything before them, so that
 *
 *   hash equal, parent content equal, tokens equal  =>  same prefix, by induction, whatever the hash.
 *
 * Several blocks can hold one content (two requests computed it side by side). A content that lost its
 * blocks stays as long as a longer content stands on it, or its number could be given to other tokens
 * and a child be believed wrongly. Contents are found through buckets chained by int arrays.
 */

/**
 * What the cached blocks contain. Found by hash, believed only after comparing parent and tokens,
 * so that a hash collision can never hand out a wrong block.
 *
 * <p>One thread. Lookups and changes allocate nothing; the arrays grow when contents without blocks
 * outnumber the spare room.
 */
final class PrefixIndex implements BlockContents {

  static final int NONE = PrefixNodeTable.NONE;

  /** Parent of a root. */
  private static final int ROOT = -2;

  private final BlockHasher hasher;
  private final Map<String, Integer> rootOfScope = new HashMap<>();
  private final Map<Integer, String> scopeOfRoot = new HashMap<>();
  private final int commonRoot;

  private final int[] contentOfBlock;
  private final int[] nextTwin;
  private final int[] previousTwin;

  private final PrefixNodeTable contents;
  private int[] buckets;
  private int contentsWithBlocks;
  private long version;

  /**
   * Makes an empty index.
   *
   * @param numBlocks blocks it may be told of
   * @param initialContents contents to make room for at once; more make it grow
   */
  PrefixIndex(int numBlocks, int initialContents, int blockSize, BlockHasher hasher) {
    this.hasher = hasher;
    contentOfBlock = filled(numBlocks, NONE);
    nextTwin = filled(numBlocks, NONE);
    previousTwin = filled(numBlocks, NONE);
    contents = new PrefixNodeTable(blockSize, initialContents + 1);
    buckets = newBuckets();
    commonRoot = createRoot("");
    contents.addChildren(commonRoot, 1); // never dropped
  }

  /**
   * Returns the root for a {@link PrefixScope} ("" for none): the content that stands before the
   * first block. The caller counts as standing on it until {@link #releaseRoot}.
   */
  int acquireRoot(String scope) {
    if (scope.isEmpty()) {
      return commonRoot;
    }
    final Integer known = rootOfScope.get(scope);
    final int root = known != null ? known : createRoot(scope);
    contents.addChildren(root, 1);
    return root;
  }

  /** Gives a root back; it goes with its last content. */
  void releaseRoot(int root) {
    if (root != commonRoot) {
      contents.addChildren(root, -1);
      dropUnused(root);
    }
  }

  private int createRoot(String scope) {
    final int root = take();
    contents.setHash(root, hasher.root(scope));
    contents.setParent(root, ROOT);
    rootOfScope.put(scope, root);
    scopeOfRoot.put(root, scope);
    return root;
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
    return contents.capacity();
  }

  /** Keeps a content, and all before it, though no block may hold it. */
  void pin(int content) {
    contents.addChildren(content, 1);
  }

  /** Takes a pin back. */
  void unpin(int content) {
    contents.addChildren(content, -1);
    dropUnused(content);
  }

  /** The hash of a content. */
  long hashOf(int content) {
    return contents.hash(content);
  }

  /** The block that holds a content for the longest time, or {@link #NONE}. */
  int firstBlockOf(int content) {
    return contents.firstBlock(content);
  }

  /**
   * Returns the content with these tokens behind {@code parentContent}, or {@link #NONE}.
   *
   * @param blockHash the hash of tokens and parent
   * @param source holds the block's tokens from {@code offset} on
   */
  int find(long blockHash, int parentContent, int[] source, int offset) {
    int content = buckets[bucketOf(blockHash)];
    while (content != NONE) {
      if (contents.hash(content) == blockHash
          && contents.parent(content) == parentContent
          && contents.hasTokens(content, source, offset)) {
        return content;
      }
      content = contents.next(content);
    }
    return NONE;
  }

  /**
   * Says that {@code block} holds these tokens behind {@code parentContent}; returns the content.
   */
  int store(int block, long blockHash, int parentContent, int[] source, int offset) {
    int content = find(blockHash, parentContent, source, offset);
    if (content == NONE) {
      content = create(blockHash, parentContent, source, offset);
    }
    hold(block, content);
    return content;
  }

  /** Says that {@code block}, which holds nothing, holds {@code content}. */
  void hold(int block, int content) {
    final int last = contents.lastBlock(content);
    if (last == NONE) {
      contentsWithBlocks++;
      contents.setFirstBlock(content, block);
    } else {
      nextTwin[last] = block;
      previousTwin[block] = last;
    }
    contents.setLastBlock(content, block);
    contentOfBlock[block] = content;
    version++;
  }

  /** Forgets what {@code block} holds; returns the hash of it. The block must hold a content. */
  long remove(int block) {
    final int content = contentOfBlock[block];
    final long removed = contents.hash(content);
    final int before = previousTwin[block];
    final int after = nextTwin[block];
    if (before == NONE) {
      contents.setFirstBlock(content, after);
    } else {
      nextTwin[before] = after;
    }
    if (after == NONE) {
      contents.setLastBlock(content, before);
    } else {
      previousTwin[after] = before;
    }
    nextTwin[block] = NONE;
    previousTwin[block] = NONE;
    contentOfBlock[block] = NONE;
    version++;
    if (contents.firstBlock(content) == NONE) {
      contentsWithBlocks--;
      dropUnused(content);
    }
    return removed;
  }

  @Override
  public void evict(int block, KvCacheEvents events) {
    events.removed(remove(block), 0);
  }

  private void dropUnused(int start) {
    int content = start;
    while (contents.firstBlock(content) == NONE && contents.children(content) == 0) {
      final int above = contents.parent(content);
      if (above == ROOT) {
        rootOfScope.remove(scopeOfRoot.remove(content));
      } else {
        unlink(content);
      }
      contents.giveBack(content);
      if (above == ROOT) {
        return;
      }
      contents.addChildren(above, -1);
      content = above;
    }
  }

  private int create(long blockHash, int parentContent, int[] source, int offset) {
    final int content = take();
    contents.setHash(content, blockHash);
    contents.setParent(content, parentContent);
    contents.setTokens(content, source, offset);
    contents.addChildren(parentContent, 1);
    link(content);
    return content;
  }

  private int take() {
    if (contents.isFull()) {
      grow();
    }
    return contents.take();
  }

  private void link(int content) {
    final int bucket = bucketOf(contents.hash(content));
    contents.setNext(content, buckets[bucket]);
    buckets[bucket] = content;
  }

  private void unlink(int content) {
    final int bucket = bucketOf(contents.hash(content));
    if (buckets[bucket] == content) {
      buckets[bucket] = contents.next(content);
      return;
    }
    int at = buckets[bucket];
    while (contents.next(at) != content) {
      at = contents.next(at);
    }
    contents.setNext(at, contents.next(content));
  }

  private int bucketOf(long blockHash) {
    return (int) blockHash & (buckets.length - 1);
  }

  /** Doubles the table; called when every content is in use. */
  private void grow() {
    final int inUse = contents.capacity();
    contents.grow(Math.multiplyExact(2, inUse));
    buckets = newBuckets();
    for (int content = 0; content < inUse; content++) {
      if (contents.parent(content) != ROOT) { // a root is found by its scope
        link(content);
      }
    }
  }

  private int[] newBuckets() {
    return filled(Integer.highestOneBit(contents.capacity()) * 2, NONE);
  }

  private static int[] filled(int length, int value) {
    final int[] array = new int[length];
    Arrays.fill(array, value);
    return array;
  }
}
