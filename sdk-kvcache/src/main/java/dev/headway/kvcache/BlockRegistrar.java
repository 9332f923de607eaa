package dev.headway.kvcache;

import dev.headway.api.kvcache.KvCacheEvents;

/**
 * Makes full blocks findable, group by group, and takes that back.
 *
 * <p>Engine thread only; allocates nothing once warm.
 */
final class BlockRegistrar {

  private final CacheGeometry geometry;
  private final AttentionTypeManager[] types;
  private final CachedBlocks held;
  private final BlockPool pool;
  private final InFlightDependencies dependencies;
  private final KvCacheEvents events;
  private final StoredRange stored;

  BlockRegistrar(
      AttentionTypeManager[] types, CacheParts parts, KvCacheEvents events, StoredRange stored) {
    this.geometry = parts.geometry();
    this.types = types;
    this.held = parts.held();
    this.pool = parts.pool();
    this.dependencies = parts.dependencies();
    this.events = events;
    this.stored = stored;
  }

  /**
   * Makes findable what the first {@code computed} tokens of the sequence fill.
   *
   * @param writer the step that fills it, or {@link BlockWriters#ANSWERED}
   */
  void register(GroupedSequence seq, int computed, long writer) {
    final int tokens = Math.min(computed, seq.request.knownTokens());
    for (BlockTable table : seq.tables) {
      final int findable = geometry.findableTokens(table.group, tokens);
      final int full = findable / geometry.blockSize(table.group);
      seq.path.hold(findable / geometry.unit());
      if (full > table.cached) {
        registerFull(seq, table, full, writer);
      }
      if (geometry.unitsPerBlock(table.group) > 1) {
        types[table.group].registerPart(seq, table, findable, computed, writer);
      }
    }
  }

  private void registerFull(GroupedSequence seq, BlockTable table, int full, long writer) {
    final int unitsPerBlock = geometry.unitsPerBlock(table.group);
    final AttentionTypeManager type = types[table.group];
    final StoredRange range = stored.of(seq, table.group, table.cached, full);
    for (int i = table.cached; i < full; i++) {
      final int block = table.blocks[i];
      if (block == 0 || !type.keeps(i, seq)) {
        continue;
      }
      if (held.isCached(block)) { // so far as a part
        held.evict(block, events);
      }
      held.hold(block, table.group, seq.path.content((i + 1) * unitsPerBlock - 1), unitsPerBlock);
      dependencies.writes(block, seq.epoch, writer);
      if (seq.wishes != null) {
        seq.wishes.tell(block, i * geometry.blockSize(table.group));
      }
      range.add(i);
    }
    table.cached = full;
    events.stored(range);
  }

  /**
   * Makes what lies behind the first {@code computed} tokens of the sequence not findable, for the
   * drafting modules too.
   */
  void forget(GroupedSequence seq, int computed) {
    final int sure = geometry.computedByModules(computed, seq.matchedTokens);
    for (BlockTable table : seq.tables) {
      final int blockSize = geometry.blockSize(table.group);
      for (int i = table.count - 1; i >= sure / blockSize; i--) {
        final int block = table.blocks[i];
        if (i * blockSize + held.coveredUnits(block) * geometry.unit() > sure) {
          pool.forget(block);
        }
      }
      table.cached = Math.min(table.cached, sure / blockSize);
    }
  }

  /** Says once more what a lookup has found, as if the sequence had stored it. */
  void announceHits(GroupedSequence seq) {
    for (BlockTable table : seq.tables) {
      final int blocks = seq.matchedTokens / geometry.blockSize(table.group);
      if (blocks > 0) {
        final StoredRange range = stored.of(seq, table.group, 0, blocks);
        for (int i = 0; i < blocks; i++) {
          range.add(i);
        }
        events.stored(range);
      }
    }
  }
}
