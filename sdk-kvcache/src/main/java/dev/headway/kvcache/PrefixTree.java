package dev.headway.kvcache;

import dev.headway.api.kvcache.ItemKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/*
 * A content is a unit of tokens behind another content, or behind a root. Its number identifies its
 * tokens and everything before them, so that
 *
 *   hash, parent content, tokens and item keys equal  =>  same prefix, by induction, whatever the hash.
 *
 * The number must not be given to other tokens while it is in use. So a content is pinned by
 * the contents behind it, by the blocks that hold it, and by the sequences that end there; it goes
 * with its last pin, and takes those before it along that nothing else pins.
 */

/**
 * Every prefix in use, in steps of a unit of tokens. Found by hash, accepted only after comparing
 * parent and tokens, so that a hash collision can never hand out a wrong prefix.
 *
 * <p>One thread. Allocates only to grow, and for a root seen for the first time.
 */
final class PrefixTree {

  static final int NONE = PrefixNodeTable.NONE;

  /** Parent of a root. */
  private static final int ROOT = -2;

  private final PrefixNodeTable nodes;
  private final Map<String, Integer> rootOfScope = new HashMap<>();
  private final Map<Integer, String> scopeOfRoot = new HashMap<>();
  private final int commonRoot;
  private ContentSlots slots;

  /**
   * Makes an empty tree.
   *
   * @param unit tokens of a content
   * @param initialContents contents to make room for at once; more make it grow
   */
  PrefixTree(int unit, int initialContents) {
    nodes = new PrefixNodeTable(unit, initialContents + 1);
    slots = new ContentSlots(nodes.capacity());
    commonRoot = createRoot("");
    pin(commonRoot); // never dropped
  }

  /** The records of the contents; the owner of a pin may keep its blocks there. */
  PrefixNodeTable nodes() {
    return nodes;
  }

  /** Contents there is room for; numbers are below. */
  int capacity() {
    return nodes.capacity();
  }

  /**
   * Returns the content before the first unit of a {@link PrefixScope} ("" for none), pinned for
   * the caller.
   */
  int pinRoot(String scope) {
    final int root = scope.isEmpty() ? commonRoot : rootOf(scope);
    pin(root);
    return root;
  }

  private int rootOf(String scope) {
    final Integer known = rootOfScope.get(scope);
    return known != null ? known : createRoot(scope);
  }

  private int createRoot(String scope) {
    final int root = take();
    nodes.setParent(root, ROOT);
    rootOfScope.put(scope, root);
    scopeOfRoot.put(root, scope);
    return root;
  }

  /** The hash of a content. */
  long hashOf(int content) {
    return nodes.hash(content);
  }

  /**
   * Returns the content with these tokens behind {@code parent}, or {@link #NONE}.
   *
   * @param hash the hash of tokens, parent and items
   * @param tokens holds the tokens of the unit from {@code offset} on
   * @param items keys of the items that overlap it; null for none
   */
  int find(long hash, int parent, int[] tokens, int offset, @Nullable List<ItemKey> items) {
    for (int slot = slots.first(hash); slot != NONE; slot = slots.next(slot, hash)) {
      final int content = slots.content(slot);
      if (nodes.hash(content) == hash
          && nodes.parent(content) == parent
          && nodes.hasTokens(content, tokens, offset)
          && nodes.hasItems(content, items)) {
        return content;
      }
    }
    return NONE;
  }

  /** Whether a content may have this hash; if not, its tokens need not be compared. */
  boolean mayFind(long hash) {
    return slots.first(hash) != NONE;
  }

  /** Reads what {@link #find} of this hash reads first, and returns a number without meaning. */
  int touch(long hash) {
    return slots.touch(hash);
  }

  /** Reads what removing a content will read, and returns a number without meaning. */
  int touchContent(int content) {
    return nodes.touch(content) + slots.touch(nodes.hash(content));
  }

  /** Like {@link #find}; a content that is not there is made. Nothing pins a new one yet. */
  int findOrCreate(long hash, int parent, int[] tokens, int offset, @Nullable List<ItemKey> items) {
    final int known = find(hash, parent, tokens, offset, items);
    if (known != NONE) {
      return known;
    }
    final int content = take();
    nodes.setHash(content, hash);
    nodes.setParent(content, parent);
    nodes.setTokens(content, tokens, offset);
    if (items != null) {
      nodes.setItems(content, items);
    }
    pin(parent);
    slots.add(content, hash);
    return content;
  }

  /** Keeps a content, and all before it. */
  void pin(int content) {
    nodes.addPins(content, 1);
  }

  /** Releases a pin; contents without pins are removed. */
  void unpin(int start) {
    int content = start;
    nodes.addPins(content, -1);
    while (nodes.pins(content) == 0) {
      final int parent = nodes.parent(content);
      if (parent == ROOT) {
        rootOfScope.remove(scopeOfRoot.remove(content));
        nodes.giveBack(content);
        return;
      }
      slots.remove(content, nodes.hash(content));
      nodes.giveBack(content);
      nodes.addPins(parent, -1);
      content = parent;
    }
  }

  private int take() {
    if (nodes.isFull()) {
      grow();
    }
    return nodes.take();
  }

  /** Doubles the room; called when every content is in use. */
  private void grow() {
    final int inUse = nodes.capacity();
    nodes.grow(Math.multiplyExact(2, inUse));
    slots = new ContentSlots(nodes.capacity());
    for (int content = 0; content < inUse; content++) {
      if (nodes.parent(content) != ROOT) { // a root is found by its scope
        slots.add(content, nodes.hash(content));
      }
    }
  }
}
