package dev.headway.kvcache;

import dev.headway.api.kvcache.KvCacheListener;

/**
 * Makes full blocks findable, group by group, and takes that back.
 *
 * <p>Engine thread only; allocates nothing once warm.
 */
final class BlockRegistrar {

  private final CacheRules rules;
  private final LayerKind[] kinds;
  private final HeldContents held;
  private final BlockPool pool;
  private final StepTrust trust;
  private final KvCacheListener listener;
  private final StoredRange stored;

  BlockRegistrar(
      LayerKind[] kinds, CacheParts parts, KvCacheListener listener, StoredRange stored) {
    this.rules = parts.rules();
    this.kinds = kinds;
    this.held = parts.held();
    this.pool = parts.pool();
    this.trust = parts.trust();
    this.listener = listener;
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
      final int findable = rules.findableTokens(table.group, tokens);
      final int full = findable / rules.blockSize(table.group);
      seq.path.hold(findable / rules.unit());
      if (full > table.cached) {
        registerFull(seq, table, full, writer);
      }
      if (rules.unitsPerBlock(table.group) > 1) {
        kinds[table.group].registerPart(seq, table, findable, computed, writer);
      }
    }
  }

  private void registerFull(GroupedSequence seq, BlockTable table, int full, long writer) {
    final int unitsPerBlock = rules.unitsPerBlock(table.group);
    final LayerKind kind = kinds[table.group];
    final StoredRange range = stored.of(seq, table.group, table.cached, full);
    for (int i = table.cached; i < full; i++) {
      final int block = table.blocks[i];
      if (block == 0 || !kind.keeps(i, seq)) {
        continue;
      }
      if (held.isCached(block)) { // so far as a part
        held.evict(block, listener);
      }
      held.hold(block, table.group, seq.path.content((i + 1) * unitsPerBlock - 1), unitsPerBlock);
      trust.writes(block, seq.tenure, writer);
      range.add(i);
    }
    table.cached = full;
    listener.onKvStored(seq.request, range);
  }

  /** Makes what lies behind the first {@code computed} tokens of the sequence not findable. */
  void forget(GroupedSequence seq, int computed) {
    for (BlockTable table : seq.tables) {
      final int blockSize = rules.blockSize(table.group);
      for (int i = table.count - 1; i >= computed / blockSize; i--) {
        final int block = table.blocks[i];
        if (i * blockSize + held.coveredUnits(block) * rules.unit() > computed) {
          pool.forget(block);
        }
      }
      table.cached = Math.min(table.cached, computed / blockSize);
    }
  }

  /** Says once more what a lookup has found, as if the sequence had stored it. */
  void announceHits(GroupedSequence seq) {
    for (BlockTable table : seq.tables) {
      final int blocks = seq.matchedTokens / rules.blockSize(table.group);
      if (blocks > 0) {
        final StoredRange range = stored.of(seq, table.group, 0, blocks);
        for (int i = 0; i < blocks; i++) {
          range.add(i);
        }
        listener.onKvStored(seq.request, range);
      }
    }
  }
}
