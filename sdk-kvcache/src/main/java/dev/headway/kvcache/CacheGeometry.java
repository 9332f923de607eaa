package dev.headway.kvcache;

import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.PrefixRetention;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import java.util.List;

/**
 * What follows from the options once and for all: granularities, in tokens, and how far blocks
 * become findable. Immutable.
 *
 * <p>A prefix that several groups share can end where all their block sizes end (the step), or, if
 * a recurrent state may be kept inside a block, at any match unit.
 */
final class CacheGeometry {

  private final List<KvGroup> groups;
  private final int[] blockSizes;
  private final boolean caching;
  private final int step;
  private final int unit;
  private final boolean partialHits;
  private final boolean dropsLastHit;
  private final int cachingLag;
  private final PrefixRetention retention;

  CacheGeometry(KvCacheShape shape, PrefixCacheOptions options, SpeculationOptions speculation) {
    groups = shape.groups();
    blockSizes = groups.stream().mapToInt(KvGroup::blockSize).toArray();
    caching = options.isEnabled();
    step = leastCommonMultiple(blockSizes);
    unit = unitOf(options);
    partialHits = severalGroups() && statesEndInsideBlocks() && windowsHaveUnitBlocks();
    dropsLastHit = speculation.recomputesLastHit();
    cachingLag = Math.max(0, speculation.prefillLookaheadTokens() - 1);
    retention = options.retention();
    if (caching) {
      requireAlignedUnit();
      requireStatesWhereChunksEnd(shape.blockSize());
      requireUsableRetention();
      requireStepCovers(speculation);
    }
    requirePlainChunks();
  }

  int blockSize(int group) {
    return blockSizes[group];
  }

  boolean caching() {
    return caching;
  }

  boolean severalGroups() {
    return blockSizes.length > 1;
  }

  /** Least common multiple of the block sizes. */
  int step() {
    return step;
  }

  /** Granularity of contents and their hashes. */
  int unit() {
    return unit;
  }

  /** Lengths of hits are multiples of this. */
  int hitUnit() {
    return partialHits ? unit : step;
  }

  /** Whether a hit may end inside a block. */
  boolean partialHits() {
    return partialHits;
  }

  /** Whether a hit gives its last block back, for a drafter. */
  boolean dropsLastHit() {
    return dropsLastHit;
  }

  PrefixRetention retention() {
    return retention;
  }

  /** Match units of a block of {@code group}. */
  int unitsPerBlock(int group) {
    return blockSizes[group] / unit;
  }

  /** Match units of the largest block that can be findable in parts; 1 if none can. */
  int partsPerBlock() {
    int parts = 1;
    for (int group = 0; group < blockSizes.length; group++) {
      if (canBePartial(groups.get(group))) {
        parts = Math.max(parts, unitsPerBlock(group));
      }
    }
    return parts;
  }

  /**
   * Leading tokens that the drafting modules have computed too.
   *
   * @param found leading tokens that were not computed but found
   */
  int computedByModules(int computed, int found) {
    return Math.max(Math.min(found, computed), computed - cachingLag);
  }

  /** Leading tokens that {@code computed} computed tokens make findable in {@code group}. */
  int findableTokens(int group, int computed) {
    final int sure = computedByModules(computed, 0);
    if (!severalGroups()) {
      return sure;
    }
    if (!dropsLastHit) {
      return cut(computed);
    }
    return cut(computed) == 0 ? 0 : Math.min(sure, cut(sure) + blockSizes[group]);
  }

  private int cut(int tokens) {
    return partialHits ? tokens : tokens / step * step;
  }

  private int unitOf(PrefixCacheOptions options) {
    if (!caching || !severalGroups()) {
      return step;
    }
    return options.matchUnit().orElseGet(() -> greatestCommonDivisor(blockSizes));
  }

  private boolean statesEndInsideBlocks() {
    return groups.stream().anyMatch(g -> g instanceof KvGroup.Mamba && g.blockSize() > unit);
  }

  private boolean windowsHaveUnitBlocks() {
    return groups.stream().allMatch(g -> canBePartial(g) || g.blockSize() == unit);
  }

  private static boolean canBePartial(KvGroup group) {
    return group instanceof KvGroup.FullAttention || group instanceof KvGroup.Mamba;
  }

  private void requireAlignedUnit() {
    for (int size : blockSizes) {
      if (size % unit != 0) {
        throw new IllegalArgumentException(
            "every block size must be a multiple of matchUnit: matchUnit="
                + unit
                + ", blockSize="
                + size);
      }
    }
  }

  /** Chunks are cut at the cache's block size; a state is only there where a chunk ended. */
  private void requireStatesWhereChunksEnd(int chunkTokens) {
    for (KvGroup group : groups) {
      if (group instanceof KvGroup.Mamba && group.blockSize() != chunkTokens) {
        throw new IllegalArgumentException(
            "a mamba group needs the block size of the cache when prefix caching is on, where"
                + " chunks end: group.blockSize="
                + group.blockSize()
                + ", blockSize="
                + chunkTokens);
      }
    }
  }

  private void requireUsableRetention() {
    if (retention.kind() != PrefixRetention.Kind.EVERY) {
      return;
    }
    if (retention.intervalTokens() % step != 0) {
      throw new IllegalArgumentException(
          "retention interval must be a multiple of the least common multiple of the block sizes:"
              + " intervalTokens="
              + retention.intervalTokens()
              + ", leastCommonMultiple="
              + step);
    }
    if (groups.stream()
        .noneMatch(g -> g instanceof KvGroup.SlidingWindow || g instanceof KvGroup.Mamba)) {
      throw new IllegalArgumentException(
          "retention EVERY needs a sliding_window or mamba group, others keep everything:"
              + " intervalTokens="
              + retention.intervalTokens()
              + ", groups="
              + groups.stream().map(KvGroup::label).toList());
    }
  }

  private void requireStepCovers(SpeculationOptions speculation) {
    if (speculation.method() == SpeculativeMethod.MTP_MULTI
        && step < speculation.prefillLookaheadTokens()) {
      throw new IllegalArgumentException(
          "the least common multiple of the block sizes must be >= the prefill lookahead of"
              + " mtp_multi when prefix caching is on: leastCommonMultiple="
              + step
              + ", prefillLookaheadTokens="
              + speculation.prefillLookaheadTokens());
    }
  }

  private void requirePlainChunks() {
    if (groups.stream().noneMatch(KvGroup.ChunkedLocal.class::isInstance)) {
      return;
    }
    for (int size : blockSizes) {
      if (size != step) {
        throw new IllegalArgumentException(
            "a chunked_local group needs equal block sizes in all groups: blockSize="
                + size
                + ", leastCommonMultiple="
                + step);
      }
    }
    if (dropsLastHit) {
      throw new IllegalArgumentException(
          "a chunked_local group cannot give back the last block of a hit, which eagle and"
              + " mtp_multi need");
    }
  }

  private static int leastCommonMultiple(int[] sizes) {
    long multiple = 1;
    for (int size : sizes) {
      multiple = multiple / greatestCommonDivisor((int) multiple, size) * size;
      if (multiple > Integer.MAX_VALUE) {
        throw new IllegalArgumentException(
            "the least common multiple of the block sizes must be <= 2147483647:"
                + " leastCommonMultiple="
                + multiple);
      }
    }
    return (int) multiple;
  }

  private static int greatestCommonDivisor(int[] sizes) {
    int divisor = 0;
    for (int size : sizes) {
      divisor = greatestCommonDivisor(divisor, size);
    }
    return divisor;
  }

  private static int greatestCommonDivisor(int a, int b) {
    return b == 0 ? a : greatestCommonDivisor(b, a % b);
  }
}
