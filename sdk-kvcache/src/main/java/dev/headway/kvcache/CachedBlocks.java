package dev.headway.kvcache;

import dev.headway.api.kvcache.KvCacheEvents;
import java.util.Arrays;

/*
 * A key is a content in a group; an entry says that a block holds a key. Entry numbers are
 * block * slots + slot. Slot 0 is the primary entry, the longest prefix that the block can continue.
 * Slot u > 0 is an additional entry: the prefix that ends u units into the block. The entries of one
 * key are linked in the order in which they came, and a lookup takes the first.
 */

/**
 * Which blocks hold which contents, group by group. A block can hold the prefix up to its end and
 * others that end inside it.
 *
 * <p>One thread. Allocates only to grow with the tree.
 */
final class CachedBlocks implements BlockContents {

  private static final int NONE = PrefixTree.NONE;

  private final PrefixTree tree;
  private final int groups;
  private final int slots;

  private final int[] contentOf;
  private final int[] nextTwin;
  private final int[] previousTwin;
  private final int[] groupOf;
  private final int[] units;

  private int[] first = {};
  private int[] last = {};
  private int[] registeredIn = {};
  private int keys;
  private int step = 1;

  /**
   * Says that no block holds anything.
   *
   * @param slots entries a block can have: match units of the largest block that is hit in parts
   */
  CachedBlocks(PrefixTree tree, int numBlocks, int groups, int slots) {
    this.tree = tree;
    this.groups = groups;
    this.slots = slots;
    contentOf = filled(Math.multiplyExact(numBlocks, slots));
    nextTwin = filled(contentOf.length);
    previousTwin = filled(contentOf.length);
    groupOf = new int[numBlocks];
    units = new int[numBlocks];
  }

  /** The prefixes that can be held. */
  PrefixTree tree() {
    return tree;
  }

  /** What is registered from now on belongs to a new step. */
  void beginStep() {
    step++;
  }

  /** Distinct keys that at least one block holds. */
  int keys() {
    return keys;
  }

  @Override
  public boolean isCached(int block) {
    return contentOf[block * slots] != NONE;
  }

  /** Match units that the primary content of {@code block} covers in it; 0 if it holds nothing. */
  int coveredUnits(int block) {
    return isCached(block) ? units[block] : 0;
  }

  /** Whether one of the contents of {@code block} is {@code content}. */
  boolean holds(int block, int content) {
    for (int slot = 0; slot < slots; slot++) {
      if (contentOf[block * slots + slot] == content) {
        return true;
      }
    }
    return false;
  }

  /** The block of {@code group} that holds {@code content} for the longest time, or NONE. */
  int firstBlock(int content, int group) {
    final int key = content * groups + group;
    final int entry = key < first.length ? first[key] : NONE;
    return entry == NONE ? NONE : entry / slots;
  }

  /** Whether the primary content of {@code block} was registered in this step, by any block. */
  boolean isOfThisStep(int block) {
    return registeredIn[contentOf[block * slots] * groups + groupOf[block]] == step;
  }

  /** Gives {@code block}, which holds nothing, its primary content. */
  void hold(int block, int group, int content, int coveredUnits) {
    groupOf[block] = group;
    units[block] = coveredUnits;
    add(block * slots, group, content);
  }

  /** Gives {@code block} an additional content that ends {@code coveredUnits} into it. */
  void holdPart(int block, int content, int coveredUnits) {
    add(block * slots + coveredUnits, groupOf[block], content);
  }

  /** Makes {@code target}, which holds nothing, hold what {@code source} holds, in its place. */
  void move(int source, int target) {
    groupOf[target] = groupOf[source];
    units[target] = units[source];
    for (int slot = 0; slot < slots; slot++) {
      final int content = contentOf[source * slots + slot];
      if (content != NONE) {
        add(target * slots + slot, groupOf[source], content);
        remove(source * slots + slot, groupOf[source]);
      }
    }
  }

  /** Does nothing: its managers take blocks one by one. */
  @Override
  public void touch(int[] blocks, int from, int to) {}

  @Override
  public void evict(int block, KvCacheEvents events) {
    for (int slot = 0; slot < slots; slot++) {
      final int content = contentOf[block * slots + slot];
      if (content != NONE) {
        final long hash = tree.hashOf(content);
        remove(block * slots + slot, groupOf[block]);
        events.removed(hash, groupOf[block]);
      }
    }
  }

  private void add(int entry, int group, int content) {
    if (first.length < tree.capacity() * groups) {
      grow();
    }
    final int key = content * groups + group;
    if (last[key] == NONE) {
      keys++;
      first[key] = entry;
    } else {
      nextTwin[last[key]] = entry;
      previousTwin[entry] = last[key];
    }
    last[key] = entry;
    registeredIn[key] = step;
    contentOf[entry] = content;
    tree.pin(content);
  }

  private void remove(int entry, int group) {
    final int content = contentOf[entry];
    final int key = content * groups + group;
    final int before = previousTwin[entry];
    final int after = nextTwin[entry];
    if (before == NONE) {
      first[key] = after;
    } else {
      nextTwin[before] = after;
    }
    if (after == NONE) {
      last[key] = before;
    } else {
      previousTwin[after] = before;
    }
    nextTwin[entry] = NONE;
    previousTwin[entry] = NONE;
    contentOf[entry] = NONE;
    if (first[key] == NONE) {
      keys--;
    }
    tree.unpin(content);
  }

  private void grow() {
    final int old = first.length;
    final int length = tree.capacity() * groups;
    first = Arrays.copyOf(first, length);
    last = Arrays.copyOf(last, length);
    registeredIn = Arrays.copyOf(registeredIn, length);
    Arrays.fill(first, old, length, NONE);
    Arrays.fill(last, old, length, NONE);
  }

  private static int[] filled(int length) {
    final int[] array = new int[length];
    Arrays.fill(array, NONE);
    return array;
  }
}
