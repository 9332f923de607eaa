package dev.headway.kvcache;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/*
 * A content is a unit of tokens behind another content, or behind a root. Its number stands for its
 * tokens and everything before them, so that
 *
 *   hash equal, parent content equal, tokens equal  =>  same prefix, by induction, whatever the hash.
 *
 * The number must not be given to other tokens while anybody relies on it. So a content is pinned by
 * the contents behind it, by the blocks that hold it, and by the sequences that end there; it goes
 * with its last pin, and takes those before it along that nothing else pins.
 */

/**
 * Every prefix that somebody still relies on, in steps of the match unit, for all groups of layers
 * together. Found by hash, believed only after comparing parent and tokens.
 *
 * <p>One thread. Allocates only to grow, and for a root seen for the first time.
 */
final class PrefixTree {

  static final int NONE = PrefixNodeTable.NONE;

  /** Parent of a root. */
  private static final int ROOT = -2;

  private final BlockHasher hasher;
  private final PrefixNodeTable contents;
  private final Map<String, Integer> rootOfScope = new HashMap<>();
  private final Map<Integer, String> scopeOfRoot = new HashMap<>();
  private int[] buckets;

  /**
   * Makes an empty tree.
   *
   * @param unit tokens of a content
   * @param initialContents contents to make room for at once; more make it grow
   */
  PrefixTree(int unit, int initialContents, BlockHasher hasher) {
    this.hasher = hasher;
    contents = new PrefixNodeTable(unit, initialContents);
    buckets = newBuckets();
  }

  /** Contents there is room for; numbers are below. */
  int capacity() {
    return contents.capacity();
  }

  /** Returns the content before the first unit of a {@link PrefixScope}, pinned for the caller. */
  int pinRoot(String scope) {
    final Integer known = rootOfScope.get(scope);
    final int root = known != null ? known : createRoot(scope);
    pin(root);
    return root;
  }

  private int createRoot(String scope) {
    final int root = take();
    contents.setHash(root, hasher.root(scope));
    contents.setParent(root, ROOT);
    rootOfScope.put(scope, root);
    scopeOfRoot.put(root, scope);
    return root;
  }

  /** The hash of a content. */
  long hashOf(int content) {
    return contents.hash(content);
  }

  /** Returns the content with these tokens behind {@code parent}, or {@link #NONE}. */
  int find(long hash, int parent, int[] tokens) {
    int content = buckets[bucketOf(hash)];
    while (content != NONE) {
      if (contents.hash(content) == hash
          && contents.parent(content) == parent
          && contents.hasTokens(content, tokens, 0)) {
        return content;
      }
      content = contents.next(content);
    }
    return NONE;
  }

  /** Like {@link #find}; a content that is not there is made. Nothing pins a new one yet. */
  int findOrCreate(long hash, int parent, int[] tokens) {
    final int known = find(hash, parent, tokens);
    if (known != NONE) {
      return known;
    }
    final int content = take();
    contents.setHash(content, hash);
    contents.setParent(content, parent);
    contents.setTokens(content, tokens, 0);
    pin(parent);
    link(content);
    return content;
  }

  /** Keeps a content, and all before it. */
  void pin(int content) {
    contents.addChildren(content, 1);
  }

  /** Takes a pin back; what nobody pins any more goes. */
  void unpin(int start) {
    int content = start;
    contents.addChildren(content, -1);
    while (contents.children(content) == 0) {
      final int parent = contents.parent(content);
      if (parent == ROOT) {
        rootOfScope.remove(scopeOfRoot.remove(content));
        contents.giveBack(content);
        return;
      }
      unlink(content);
      contents.giveBack(content);
      contents.addChildren(parent, -1);
      content = parent;
    }
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

  private int bucketOf(long hash) {
    return (int) hash & (buckets.length - 1);
  }

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
    final int[] array = new int[Integer.highestOneBit(contents.capacity()) * 2];
    Arrays.fill(array, NONE);
    return array;
  }
}
