package dev.headway.kvcache;

import dev.headway.api.kvcache.ItemKey;
import dev.headway.api.request.RequestView;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The way of one request through the tree: a content and a hash for each match unit of its known
 * tokens.
 *
 * <p>A held path pins the content it ends at, so that its contents stay although blocks that hold
 * them are given back. One thread; allocates only to grow.
 */
final class PrefixPath {

  private final PrefixTree tree;
  private final int root;
  private final int[] unitTokens;
  private final @Nullable BlockItems items;
  private final BlockHashes hashes;

  private int[] contents = {};
  private int found;
  private int held;

  /**
   * Starts a path at a root that is pinned for it.
   *
   * @param unitTokens scratch for the tokens of a unit, shared with other paths
   */
  PrefixPath(
      PrefixTree tree,
      BlockHashChain.Factory chains,
      RequestView request,
      int root,
      int[] unitTokens) {
    this.tree = tree;
    this.root = root;
    this.unitTokens = unitTokens;
    items =
        PrefixScope.canHaveItems(request.request())
            ? new BlockItems(request, unitTokens.length)
            : null;
    hashes = new BlockHashes(chains.open(request.request(), items), request, unitTokens);
  }

  /** Follows the known tokens as far as the tree has them, {@code units} units at most. */
  void find(int units) {
    reserve(units);
    found = held;
    while (found < units) {
      final long hash = hashes.load(found);
      final int content = tree.find(hash, contentBefore(found), unitTokens, 0, items(found));
      if (content == PrefixTree.NONE) {
        return;
      }
      contents[found++] = content;
    }
  }

  /** Units that the latest {@link #find} knew. */
  int found() {
    return found;
  }

  /** The content of a unit that is found or held. */
  int content(int unit) {
    return contents[unit];
  }

  /** The hash of everything up to the end of {@code unit}. */
  long hash(int unit) {
    while (!hashes.has(unit)) {
      hashes.loadNext();
    }
    return hashes.get(unit);
  }

  /** Makes the first {@code units} units known to the tree, and holds them. */
  void hold(int units) {
    if (units <= held) {
      return;
    }
    reserve(units);
    for (int unit = held; unit < units; unit++) {
      final long hash = hashes.load(unit);
      contents[unit] = tree.findOrCreate(hash, contentBefore(unit), unitTokens, 0, items(unit));
    }
    tree.pin(contents[units - 1]);
    release();
    held = units;
  }

  /** Holds nothing any more. */
  void release() {
    if (held > 0) {
      tree.unpin(contents[held - 1]);
      held = 0;
    }
  }

  /** Ends a path that holds nothing. */
  void close() {
    tree.unpin(root);
  }

  /** Makes room for {@code units} units, so that holding them allocates nothing. */
  void reserve(int units) {
    if (contents.length < units) {
      contents = Arrays.copyOf(contents, Math.max(units, 2 * contents.length));
      hashes.reserve(contents.length);
    }
  }

  private @Nullable List<ItemKey> items(int unit) {
    return items == null ? null : items.of(unit);
  }

  private int contentBefore(int unit) {
    return unit == 0 ? root : contents[unit - 1];
  }
}
