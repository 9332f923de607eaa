package dev.headway.kvcache;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.RequestView;
import org.jspecify.annotations.Nullable;

/** The block tables of a request, one for each group, and its path through the contents. */
final class GroupedSequence implements KvSequence {

  final SequenceEpoch epoch;
  final RequestView request;
  final PrefixPath path;
  final BlockTable[] tables;
  private final CacheGeometry geometry;
  private final CachedBlocks held;

  /** What is asked for its blocks; null for nothing. */
  @Nullable RetentionWishes wishes;

  /** Tokens the latest lookup found. */
  int matchedTokens;

  /** Where the latest lookup saw a longer prefix in some groups than in all; 0 for nowhere. */
  int sharedPrefixBoundary;

  GroupedSequence(
      SequenceEpoch epoch,
      RequestView request,
      PrefixPath path,
      BlockTable[] tables,
      CacheGeometry geometry,
      CachedBlocks held) {
    this.epoch = epoch;
    this.request = request;
    this.path = path;
    this.tables = tables;
    this.geometry = geometry;
    this.held = held;
  }

  boolean holdsBlocks() {
    return tables[0].count > 0;
  }

  @Override
  public int groupCount() {
    return tables.length;
  }

  @Override
  public int blockCount(int group) {
    return tables[group].count;
  }

  @Override
  public int blockId(int group, int index) {
    final BlockTable table = tables[group];
    if (index >= table.count) {
      throw new IndexOutOfBoundsException(
          "block index must be in [0, blockCount): index="
              + index
              + ", blockCount="
              + table.count
              + ", group="
              + group);
    }
    return table.blocks[index];
  }

  @Override
  public void copyBlockIds(int group, int from, int[] target, int offset, int length) {
    final BlockTable table = tables[group];
    if (from < 0 || from + length > table.count) {
      throw new IndexOutOfBoundsException(
          "blocks must be in [0, blockCount): from="
              + from
              + ", length="
              + length
              + ", blockCount="
              + table.count
              + ", group="
              + group);
    }
    System.arraycopy(table.blocks, from, target, offset, length);
  }

  @Override
  public int sharedPrefixTokens() {
    int least = Integer.MAX_VALUE;
    for (BlockTable table : tables) {
      least = Math.min(least, sharedPrefixTokens(table));
    }
    return least;
  }

  @Override
  public long prefixHash(int tokens) {
    return tokens % geometry.blockSize(0) == 0 && tokens <= matchedTokens
        ? path.hash(tokens / geometry.unit() - 1)
        : 0;
  }

  private int sharedPrefixTokens(BlockTable table) {
    for (int i = table.count - 1; i >= 0; i--) {
      final int covered = held.coveredUnits(table.blocks[i]);
      if (covered > 0) {
        return i * geometry.blockSize(table.group) + covered * geometry.unit();
      }
    }
    return 0;
  }
}
