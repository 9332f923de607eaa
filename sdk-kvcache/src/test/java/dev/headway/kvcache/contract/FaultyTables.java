package dev.headway.kvcache.contract;

import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvDependents;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.RequestView;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A sound manager whose block tables a test breaks. */
abstract class FaultyTables extends FaultyKvCache {

  private final Map<KvSequence, Table> tables = new HashMap<>();

  FaultyTables(KvCacheManager sound) {
    super(sound);
  }

  /** The block that the broken table shows instead of {@code block}. */
  int shown(int block) {
    return block;
  }

  /** What the broken table says of itself. */
  int allocatedThrough(KvSequence table) {
    return table.allocatedThrough();
  }

  /** What the broken table promises. */
  int sharedPrefixTokens(KvSequence table) {
    return table.sharedPrefixTokens();
  }

  private final class Table implements KvSequence {
    private final KvSequence table;

    Table(KvSequence table) {
      this.table = table;
    }

    @Override
    public int groupCount() {
      return table.groupCount();
    }

    @Override
    public int blockCount(int group) {
      return table.blockCount(group);
    }

    @Override
    public int blockId(int group, int index) {
      return shown(table.blockId(group, index));
    }

    @Override
    public void copyBlockIds(int group, int from, int[] target, int offset, int length) {
      for (int i = 0; i < length; i++) {
        target[offset + i] = blockId(group, from + i);
      }
    }

    @Override
    public int sharedPrefixTokens() {
      return FaultyTables.this.sharedPrefixTokens(table);
    }

    @Override
    public int allocatedThrough() {
      return FaultyTables.this.allocatedThrough(table);
    }
  }

  private static KvSequence of(KvSequence shown) {
    return ((Table) shown).table;
  }

  @Override
  public KvSequence open(RequestView request) {
    final Table shown = new Table(sound.open(request));
    tables.put(shown.table, shown);
    return shown;
  }

  @Override
  public void close(KvSequence sequence) {
    sound.close(of(sequence));
    tables.remove(of(sequence));
  }

  @Override
  public int lookup(KvSequence sequence) {
    return sound.lookup(of(sequence));
  }

  @Override
  public int blocksGained(
      KvSequence holding, int computedTokens, long lastStepId, KvSequence waiting) {
    return sound.blocksGained(of(holding), computedTokens, lastStepId, of(waiting));
  }

  @Override
  public int alignChunk(KvSequence sequence, int startTokens, int newTokens, int largestChunk) {
    return sound.alignChunk(of(sequence), startTokens, newTokens, largestChunk);
  }

  @Override
  public Allocation allocate(
      KvSequence sequence, int newTokens, int lookahead, int reserveTokens, int watermarkBlocks) {
    return sound.allocate(of(sequence), newTokens, lookahead, reserveTokens, watermarkBlocks);
  }

  @Override
  public Allocation extend(
      KvSequence sequence, int computedTokens, int newTokens, int lookaheadTokens) {
    return sound.extend(of(sequence), computedTokens, newTokens, lookaheadTokens);
  }

  @Override
  public int release(KvSequence sequence, int computedTokens, long lastStepId) {
    return sound.release(of(sequence), computedTokens, lastStepId);
  }

  @Override
  public void stepFailed(long stepId, @Nullable KvSequence failed, KvDependents dependents) {
    sound.stepFailed(
        stepId,
        failed == null ? null : of(failed),
        dependent -> {
          final Table shown = tables.get(dependent);
          if (shown != null) {
            dependents.add(shown);
          }
        });
  }

  @Override
  public int commonPrefixBlocks(KvSequence sequence, int group) {
    return sound.commonPrefixBlocks(of(sequence), group);
  }
}
