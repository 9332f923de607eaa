package dev.headway.kvcache;

import dev.headway.api.kvcache.KvGroup;
import java.util.Arrays;

/**
 * What all types of layers have in common: a block for every so many tokens, the oldest of which
 * may be given back.
 */
abstract class BlockwiseManager implements AttentionTypeManager {

  final CacheParts parts;
  final CacheGeometry geometry;
  final int[] groups;
  final int blockSize;
  final int unitsPerBlock;
  private final KvGroup layers;
  private final IntList leaving = new IntList();

  BlockwiseManager(CacheParts parts, KvGroup layers, int[] groups) {
    this.parts = parts;
    this.geometry = parts.geometry();
    this.layers = layers;
    this.groups = groups;
    this.blockSize = layers.blockSize();
    this.unitsPerBlock = blockSize / geometry.unit();
  }

  /** Leading tokens that the layers do not look at when {@code tokens} are there. */
  abstract int skippedTokens(int tokens);

  @Override
  public BlockTable newTable(int group) {
    return new BlockTable(group);
  }

  @Override
  public boolean isClosedDownwards() {
    return false;
  }

  @Override
  public void cut(GroupedSequence seq, int tokens) {
    throw new UnsupportedOperationException("a shorter prefix must be searched for again");
  }

  @Override
  public int dropTokens() {
    return blockSize;
  }

  @Override
  public boolean isHitInProgress(BlockTable table, int hitTokens) {
    return parts.fenced()
        && hitTokens % blockSize != 0
        && table.matched > 0
        && parts.dependencies().writesInThisStep(table.blocks[table.matched - 1]);
  }

  @Override
  public int gateNeed(BlockTable table, int hitTokens, int tokens) {
    final int blocks = layers.blocksToHold(tokens, parts.maxInFlightTokens(), parts.maxModelLen());
    return need(table, hitTokens, blocks);
  }

  @Override
  public int admissionNeed(BlockTable table, int hitTokens, int tokens, int slots) {
    return need(table, hitTokens, blocksFor(slots));
  }

  @Override
  public int growthNeed(BlockTable table, int tokens, int slots) {
    return Math.max(0, blocksFor(slots) - table.count);
  }

  @Override
  public int growthGate(BlockTable table, int tokens) {
    final int blocks =
        layers.blocksToHold(
            Math.min(tokens, parts.maxModelLen()), parts.maxInFlightTokens(), parts.maxModelLen());
    return Math.max(0, blocks - table.count);
  }

  private int need(BlockTable table, int hitTokens, int blocks) {
    final int skipped = skippedTokens(hitTokens + table.external) / blockSize;
    int idle = hitTokens % blockSize == 0 ? 0 : 1; // the copy of a hit that ends inside its block
    for (int i = skipped; i < table.matched; i++) {
      if (table.blocks[i] != 0 && parts.pool().isFree(table.blocks[i])) {
        idle++;
      }
    }
    return Math.max(0, blocks - Math.max(table.matched, skipped)) + idle;
  }

  @Override
  public void shareHits(BlockTable table, int hitTokens) {
    final int skipped = skippedTokens(hitTokens + table.external) / blockSize;
    for (int i = 0; i < table.matched; i++) {
      if (i < skipped) {
        table.blocks[i] = 0;
      } else if (table.blocks[i] != 0) {
        parts.pool().share(table.blocks[i]);
      }
    }
    table.count = table.matched;
    table.cached = hitTokens / blockSize;
    if (skipped > table.matched) { // of the tokens from outside
      table.ensureCapacity(skipped);
      Arrays.fill(table.blocks, table.matched, skipped, 0);
      table.count = skipped;
      table.cached = skipped;
    }
  }

  @Override
  public void take(BlockTable table, int hitTokens, int tokens, int slots) {
    if (hitTokens % blockSize != 0) {
      final int target = takeOne(table.group);
      parts.pool().share(target);
      parts.work().copy(table.group, table.blocks[table.count - 1], target);
      table.blocks[table.count - 1] = target;
    }
    final int blocks = blocksFor(slots);
    table.ensureCapacity(blocks);
    while (table.count < blocks) {
      table.blocks[table.count++] = takeOne(table.group);
    }
  }

  /** Takes a block whose old content must not be read by the layers. */
  private int takeOne(int group) {
    final int block = parts.pool().take();
    parts.work().took(group, block);
    return block;
  }

  @Override
  public void leave(BlockTable table, int processed) {
    giveBackBefore(table, Math.min(skippedTokens(processed) / blockSize, table.count));
  }

  private void giveBackBefore(BlockTable table, int end) {
    int from = end;
    while (from > 0 && table.blocks[from - 1] != 0) {
      from--;
    }
    if (from == end) {
      return;
    }
    leaving.clear();
    for (int i = from; i < end; i++) {
      leaving.add(table.blocks[i]);
      table.blocks[i] = 0;
    }
    parts.pool().giveBack(leaving.values(), leaving.size());
  }

  @Override
  public boolean keeps(int index, GroupedSequence seq) {
    return true;
  }

  @Override
  public void registerPart(
      GroupedSequence seq, BlockTable table, int findable, int computed, long writer) {}

  @Override
  public boolean keepsWholeContext() {
    return false;
  }

  final int blocksFor(int tokens) {
    return (tokens + blockSize - 1) / blockSize;
  }

  /** Whether all groups of this type hold block {@code index} of the sequence's path. */
  final boolean isHeld(PrefixPath path, int index) {
    return isUnitHeld(path, (index + 1) * unitsPerBlock - 1);
  }

  /** Whether all groups of this type hold the prefix that ends with {@code unit}. */
  final boolean isUnitHeld(PrefixPath path, int unit) {
    if (unit >= path.found()) {
      return false;
    }
    for (int group : groups) {
      if (parts.held().firstBlock(path.content(unit), group) == PrefixTree.NONE) {
        return false;
      }
    }
    return true;
  }

  /** Leaves null blocks and then the blocks {@code [from, to)} of the path behind the tables. */
  final void match(GroupedSequence seq, int from, int to) {
    for (int group : groups) {
      final BlockTable table = seq.tables[group];
      table.ensureCapacity(to);
      for (int i = 0; i < to; i++) {
        table.blocks[i] =
            i < from
                ? 0
                : parts.held().firstBlock(seq.path.content((i + 1) * unitsPerBlock - 1), group);
      }
      table.matched = to;
    }
  }
}
