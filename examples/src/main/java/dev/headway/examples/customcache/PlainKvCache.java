package dev.headway.examples.customcache;

import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.Allocation.Status;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.RequestView;
import java.util.ArrayDeque;
import java.util.Deque;

/** Paged blocks for one group of layers, without prefix reuse: a list of free blocks. */
public final class PlainKvCache implements KvCacheManager {

  /** Blocks that steps up to {@code stepId} may still write. */
  private record Quarantined(long stepId, Blocks blocks) {}

  private final KvCacheShape shape;
  private final int[] free;
  private int freeCount;
  private final Deque<Quarantined> quarantine = new ArrayDeque<>();
  private long acknowledgedStepId;
  private final Allocation allocation = new Allocation();

  /** Makes an empty cache; {@code HeadwayEngine.builder(executor).kvCache(PlainKvCache::new)}. */
  public PlainKvCache(KvCacheContext context) {
    shape = context.shape();
    if (shape.groups().size() != 1) {
      throw new IllegalArgumentException("groups must be one: groups=" + shape.groups());
    }
    free = new int[shape.usableBlocks()];
    for (int block = shape.numBlocks() - 1; block > 0; block--) { // block 0 is the null block
      free[freeCount++] = block;
    }
  }

  @Override
  public KvCacheShape shape() {
    return shape;
  }

  @Override
  public KvSequence open(RequestView request) {
    return new Blocks();
  }

  @Override
  public Allocation allocate(
      KvSequence sequence, int newTokens, int lookahead, int reserve, int watermark) {
    if (shape.blocksFor(reserve) > freeCount) {
      return allocation.answer(Status.FULL_SEQUENCE_SHORT, shape.blocksFor(reserve));
    }
    final int needed = shape.blocksFor(newTokens + lookahead);
    if (needed <= freeCount && needed + watermark > freeCount) {
      return allocation.answer(Status.WATERMARK_SHORT, needed + watermark);
    }
    return take((Blocks) sequence, newTokens + lookahead);
  }

  @Override
  public Allocation extend(KvSequence sequence, int computedTokens, int newTokens, int lookahead) {
    return take((Blocks) sequence, computedTokens + newTokens + lookahead);
  }

  private Allocation take(Blocks sequence, int tokens) {
    final int needed = Math.max(0, shape.blocksFor(tokens) - sequence.count);
    if (needed > freeCount) {
      return allocation.answer(Status.BLOCKS_SHORT, needed);
    }
    for (int i = 0; i < needed; i++) {
      sequence.add(free[--freeCount]);
    }
    return allocation.answer(Status.ALLOCATED, needed);
  }

  @Override
  public int release(KvSequence sequence, int computedTokens, long lastStepId) {
    final Blocks blocks = ((Blocks) sequence).takeAll();
    if (lastStepId > acknowledgedStepId) {
      quarantine.addLast(new Quarantined(lastStepId, blocks));
    } else {
      giveBack(blocks);
    }
    return blocks.count;
  }

  @Override
  public int blocksGained(
      KvSequence holding, int computedTokens, long lastStepId, KvSequence waiting) {
    return lastStepId > acknowledgedStepId ? 0 : holding.blockCount(0);
  }

  private void giveBack(Blocks blocks) {
    System.arraycopy(blocks.ids, 0, free, freeCount, blocks.count);
    freeCount += blocks.count;
  }

  @Override
  public void acknowledge(long stepId) {
    acknowledgedStepId = Math.max(acknowledgedStepId, stepId);
    for (Quarantined held : quarantine) {
      if (held.stepId <= acknowledgedStepId) {
        giveBack(held.blocks);
      }
    }
    quarantine.removeIf(held -> held.stepId <= acknowledgedStepId);
  }

  @Override
  public int freeBlocks() {
    return freeCount;
  }

  @Override
  public int quarantinedBlocks() {
    return quarantine.stream().mapToInt(held -> held.blocks.count).sum();
  }
}
