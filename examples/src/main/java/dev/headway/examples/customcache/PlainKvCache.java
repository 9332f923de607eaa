package dev.headway.examples.customcache;

import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.kvcache.KvVerdict;
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
  private int quarantined;
  private long acknowledgedStepId;
  private int neededBlocks;

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
  public int match(KvSequence sequence) {
    return 0;
  }

  @Override
  public KvVerdict admit(
      KvSequence sequence, int newTokens, int lookahead, int reserve, int watermark) {
    if (shape.blocksFor(reserve) > freeCount) {
      neededBlocks = shape.blocksFor(reserve);
      return KvVerdict.FULL_SEQUENCE_SHORT;
    }
    final int needed = shape.blocksFor(newTokens + lookahead);
    if (needed <= freeCount && needed + watermark > freeCount) {
      neededBlocks = needed + watermark;
      return KvVerdict.WATERMARK_SHORT;
    }
    return take((Blocks) sequence, newTokens + lookahead);
  }

  @Override
  public KvVerdict grow(KvSequence sequence, int computedTokens, int newTokens, int lookahead) {
    return take((Blocks) sequence, computedTokens + newTokens + lookahead);
  }

  private KvVerdict take(Blocks sequence, int tokens) {
    neededBlocks = Math.max(0, shape.blocksFor(tokens) - sequence.count);
    if (neededBlocks > freeCount) {
      return KvVerdict.BLOCKS_SHORT;
    }
    for (int i = 0; i < neededBlocks; i++) {
      sequence.add(free[--freeCount]);
    }
    return KvVerdict.ALLOCATED;
  }

  @Override
  public int neededBlocks() {
    return neededBlocks;
  }

  @Override
  public int release(KvSequence sequence, long lastStepId) {
    final Blocks blocks = ((Blocks) sequence).takeAll();
    if (lastStepId > acknowledgedStepId) {
      quarantine.addLast(new Quarantined(lastStepId, blocks));
      quarantined += blocks.count;
    } else {
      giveBack(blocks);
    }
    return blocks.count;
  }

  private void giveBack(Blocks blocks) {
    System.arraycopy(blocks.ids, 0, free, freeCount, blocks.count);
    freeCount += blocks.count;
  }

  @Override
  public void acknowledge(long stepId) {
    acknowledgedStepId = Math.max(acknowledgedStepId, stepId);
    quarantine.removeIf(
        held -> {
          if (held.stepId > acknowledgedStepId) {
            return false;
          }
          quarantined -= held.blocks.count;
          giveBack(held.blocks);
          return true;
        });
  }

  @Override
  public void close(KvSequence sequence) {}

  @Override
  public void cache(KvSequence sequence, int computedTokens) {}

  @Override
  public void forget(KvSequence sequence, int computedTokens) {}

  @Override
  public boolean reset() {
    return freeCount == shape.usableBlocks();
  }

  @Override
  public int freeBlocks() {
    return freeCount;
  }

  @Override
  public int quarantinedBlocks() {
    return quarantined;
  }

  @Override
  public int cachedContents() {
    return 0;
  }

  @Override
  public int commonPrefixBlocks(KvSequence sequence, int group) {
    return 0;
  }
}
