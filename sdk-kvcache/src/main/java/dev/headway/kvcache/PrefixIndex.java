package dev.headway.kvcache;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/*
 * A content is a block of tokens behind another content, or behind a root. Contents form a trie; a
 * content's number stands for its tokens and everything before them, so that
 *
 *   hash equal, parent content equal, tokens equal  =>  same prefix, by induction, whatever the hash.
 *
 * Several blocks can hold one content (two requests computed it side by side). A content that lost its
 * blocks stays as long as a longer content stands on it, or its number could be given to other tokens
 * and a child be believed wrongly. Contents are found through buckets chained by int arrays.
 */

/**
 * What the cached blocks contain. Found by hash, believed only after comparing parent and tokens, so
 * that a hash collision can never hand out a wrong block.
 *
 * <p>One thread. Lookups and changes allocate nothing; the arrays grow when contents without blocks
 * outnumber the spare room.
 */
final class PrefixIndex {

  static final int NONE = -1;

  /** Parent of a root. */
  private static final int ROOT = -2;

  private final int blockSize;
  private final BlockHasher hasher;
  private final Map<String, Integer> rootOfSalt = new HashMap<>();
  private final Map<Integer, String> saltOfRoot = new HashMap<>();
  private final int unsaltedRoot;

  private final int[] contentOfBlock;
  private final int[] nextTwin;
  private final int[] previousTwin;

  private long[] hash;
  private int[] parent;
  private int[] children;
  private int[] firstBlock;
  private int[] lastBlock;
  private int[] nextInBucket;
  private int[] tokens;
  private int[] buckets;
  private int freeList = NONE;
  private int contentsWithBlocks;
  private long version;

  /**
   * Makes an empty index.
   *
   * @param numBlocks blocks it may be told of
   * @param contents contents to make room for at once; more make it grow
   */
  PrefixIndex(int numBlocks, int contents, int blockSize, BlockHasher hasher) {
    this.blockSize = blockSize;
    this.hasher = hasher;
    contentOfBlock = filled(numBlocks, NONE);
    nextTwin = filled(numBlocks, NONE);
    previousTwin = filled(numBlocks, NONE);
    hash = new long[0];
    parent = new int[0];
    children = new int[0];
    firstBlock = new int[0];
    lastBlock = new int[0];
    nextInBucket = new int[0];
    tokens = new int[0];
    buckets = new int[0];
    grow(contents + 1);
    unsaltedRoot = createRoot("");
    children[unsaltedRoot]++; // never dropped
  }

  /**
   * Returns the root for a salt ("" for none): the content that stands before the first block. The
   * caller counts as standing on it until {@link #releaseRoot}.
   */
  int acquireRoot(String salt) {
    if (salt.isEmpty()) {
      return unsaltedRoot;
    }
    final Integer known = rootOfSalt.get(salt);
    final int root = known != null ? known : createRoot(salt);
    children[root]++;
    return root;
  }

  /** Gives a root back; it goes with its last content. */
  void releaseRoot(int root) {
    if (root != unsaltedRoot) {
      children[root]--;
      dropUnused(root);
    }
  }

  private int createRoot(String salt) {
    final int root = take();
    hash[root] = hasher.root(salt);
    parent[root] = ROOT;
    rootOfSalt.put(salt, root);
    saltOfRoot.put(root, salt);
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

  /** Whether {@code block} holds a content. */
  boolean isCached(int block) {
    return contentOfBlock[block] != NONE;
  }

  /** The content of {@code block}, or {@link #NONE}. */
  int contentOf(int block) {
    return contentOfBlock[block];
  }

  /** The hash of a content. */
  long hashOf(int content) {
    return hash[content];
  }

  /** The block that holds a content for the longest time, or {@link #NONE}. */
  int firstBlockOf(int content) {
    return firstBlock[content];
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
      if (hash[content] == blockHash
          && parent[content] == parentContent
          && hasTokens(content, source, offset)) {
        return content;
      }
      content = nextInBucket[content];
    }
    return NONE;
  }

  /** Says that {@code block} holds these tokens behind {@code parentContent}; returns the content. */
  int store(int block, long blockHash, int parentContent, int[] source, int offset) {
    int content = find(blockHash, parentContent, source, offset);
    if (content == NONE) {
      content = create(blockHash, parentContent, source, offset);
    }
    if (firstBlock[content] == NONE) {
      contentsWithBlocks++;
      firstBlock[content] = block;
    } else {
      nextTwin[lastBlock[content]] = block;
      previousTwin[block] = lastBlock[content];
    }
    lastBlock[content] = block;
    contentOfBlock[block] = content;
    version++;
    return content;
  }

  /** Forgets what {@code block} holds; returns the hash of it. The block must hold a content. */
  long remove(int block) {
    final int content = contentOfBlock[block];
    final long removed = hash[content];
    final int before = previousTwin[block];
    final int after = nextTwin[block];
    if (before == NONE) {
      firstBlock[content] = after;
    } else {
      nextTwin[before] = after;
    }
    if (after == NONE) {
      lastBlock[content] = before;
    } else {
      previousTwin[after] = before;
    }
    nextTwin[block] = NONE;
    previousTwin[block] = NONE;
    contentOfBlock[block] = NONE;
    version++;
    if (firstBlock[content] == NONE) {
      contentsWithBlocks--;
      dropUnused(content);
    }
    return removed;
  }

  private void dropUnused(int start) {
    int content = start;
    while (firstBlock[content] == NONE && children[content] == 0) {
      final int above = parent[content];
      if (above == ROOT) {
        rootOfSalt.remove(saltOfRoot.remove(content));
      } else {
        unlink(content);
      }
      nextInBucket[content] = freeList;
      freeList = content;
      if (above == ROOT) {
        return;
      }
      children[above]--;
      content = above;
    }
  }

  private int create(long blockHash, int parentContent, int[] source, int offset) {
    final int content = take();
    hash[content] = blockHash;
    parent[content] = parentContent;
    children[parentContent]++;
    System.arraycopy(source, offset, tokens, content * blockSize, blockSize);
    final int bucket = bucketOf(blockHash);
    nextInBucket[content] = buckets[bucket];
    buckets[bucket] = content;
    return content;
  }

  private int take() {
    if (freeList == NONE) {
      grow(Math.multiplyExact(2, hash.length));
    }
    final int content = freeList;
    freeList = nextInBucket[content];
    children[content] = 0;
    firstBlock[content] = NONE;
    lastBlock[content] = NONE;
    return content;
  }

  private void unlink(int content) {
    final int bucket = bucketOf(hash[content]);
    if (buckets[bucket] == content) {
      buckets[bucket] = nextInBucket[content];
      return;
    }
    int at = buckets[bucket];
    while (nextInBucket[at] != content) {
      at = nextInBucket[at];
    }
    nextInBucket[at] = nextInBucket[content];
  }

  private boolean hasTokens(int content, int[] source, int offset) {
    final int from = content * blockSize;
    return Arrays.equals(tokens, from, from + blockSize, source, offset, offset + blockSize);
  }

  private int bucketOf(long blockHash) {
    return (int) blockHash & (buckets.length - 1);
  }

  private void grow(int capacity) {
    final int old = hash.length;
    hash = Arrays.copyOf(hash, capacity);
    parent = Arrays.copyOf(parent, capacity);
    children = Arrays.copyOf(children, capacity);
    firstBlock = Arrays.copyOf(firstBlock, capacity);
    lastBlock = Arrays.copyOf(lastBlock, capacity);
    nextInBucket = Arrays.copyOf(nextInBucket, capacity);
    tokens = Arrays.copyOf(tokens, Math.multiplyExact(capacity, blockSize));
    buckets = filled(Integer.highestOneBit(capacity) * 2, NONE);
    for (int content = 0; content < old; content++) {
      if (parent[content] == ROOT) {
        continue; // found by salt
      }
      final int bucket = bucketOf(hash[content]);
      nextInBucket[content] = buckets[bucket];
      buckets[bucket] = content;
    }
    for (int content = capacity - 1; content >= old; content--) {
      nextInBucket[content] = freeList;
      freeList = content;
    }
  }

  private static int[] filled(int length, int value) {
    final int[] array = new int[length];
    Arrays.fill(array, value);
    return array;
  }
}
