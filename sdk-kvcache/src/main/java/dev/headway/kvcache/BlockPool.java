package dev.headway.kvcache;

import dev.headway.api.kvcache.KvCacheEvents;
import dev.headway.api.kvcache.KvCacheListener;
import org.jspecify.annotations.Nullable;

/**
 * Allocation of blocks: reference counts, the free queue, and the quarantine.
 *
 * <p>A block is free when its reference count is 0; a free block keeps its content until it is
 * taken, so that a lookup can bring it back. Freed blocks without content go to the front of the
 * free queue and are reused first; those with content go to the end. One thread; allocates nothing
 * once warm.
 */
final class BlockPool {

  private static final KvCacheEvents SILENT = new KvCacheEvents(new KvCacheListener() {});

  private final FreeBlockQueue free;
  private final BlockContents contents;
  private final KvCacheEvents events;
  private final Quarantine quarantine = new Quarantine();
  private final int[] references;
  private final int[] quarantined;
  private int quarantinedBlocks;
  private long acknowledged;
  private @Nullable HostTier hostTier;

  BlockPool(int numBlocks, BlockContents contents, KvCacheEvents events) {
    this.free = new FreeBlockQueue(numBlocks);
    this.contents = contents;
    this.events = events;
    this.references = new int[numBlocks];
    this.quarantined = new int[numBlocks];
  }

  /** What leaves the device from now on is offered to {@code tier}. */
  void saveTo(HostTier tier) {
    hostTier = tier;
  }

  /** Copies the free blocks in the order in which they will be taken. O(free blocks). */
  int[] freeBlocksInOrder() {
    final int[] order = new int[free.size()];
    int block = 0;
    for (int i = 0; i < order.length; i++) {
      block = free.following(block);
      order[i] = block;
    }
    return order;
  }

  /** Runs of blocks in the quarantine: the fence and the length of each. */
  long[][] quarantineInOrder() {
    return quarantine.inOrder();
  }

  boolean hasQuarantine() {
    return !quarantine.isEmpty();
  }

  int freeBlocks() {
    return free.size();
  }

  /** Blocks that only the quarantine refers to. */
  int quarantinedBlocks() {
    return quarantinedBlocks;
  }

  /** Sequences that hold {@code block}; a quarantined reference is not counted. */
  int holders(int block) {
    return references[block] - quarantined[block];
  }

  /** References to {@code block}, those of the quarantine included. */
  int references(int block) {
    return references[block];
  }

  /** Whether giving one reference back makes the block free, once nothing can write it. */
  boolean isHeldOnce(int block) {
    return references[block] == 1;
  }

  /** Whether no step up to {@code stepId} writes any more. */
  boolean isAcknowledged(long stepId) {
    return stepId <= acknowledged;
  }

  boolean isFree(int block) {
    return references[block] == 0;
  }

  /** Takes a free block for new content; what it held is forgotten. */
  int take() {
    final int block = free.takeFirst();
    if (contents.isCached(block)) {
      if (hostTier != null) {
        hostTier.leaving(block);
      }
      contents.evict(block, events);
    }
    references[block] = 1;
    return block;
  }

  /** Takes {@code count} free blocks, as {@link #take}, into {@code target}. */
  void take(int count, int[] target, int offset) {
    if (count > 1) {
      readAhead(count, target, offset);
    }
    for (int i = 0; i < count; i++) {
      target[offset + i] = take();
    }
  }

  private void readAhead(int count, int[] target, int offset) {
    int block = 0;
    for (int i = 0; i < count; i++) {
      block = free.following(block);
      target[offset + i] = block;
    }
    contents.touch(target, offset, offset + count);
  }

  /** Removes the content of a block from the index; references to the block stay. */
  void forget(int block) {
    if (contents.isCached(block)) {
      contents.evict(block, events);
    }
  }

  /** Adds a reference to a block with content, free or not. */
  void share(int block) {
    if (references[block] == 0) {
      free.remove(block);
    } else if (isOnlyQuarantined(block)) {
      quarantinedBlocks--;
    }
    references[block]++;
  }

  /**
   * Drops a reference to each of the first {@code count} blocks, last block first: the end of a
   * prefix is reused before its beginning.
   */
  void giveBack(int[] blocks, int count) {
    int anchor = 0;
    for (int i = count - 1; i >= 0; i--) {
      final int block = blocks[i];
      references[block]--;
      if (references[block] > 0) {
        if (isOnlyQuarantined(block)) {
          quarantinedBlocks++;
        }
      } else if (contents.isCached(block)) {
        free.addLast(block);
      } else {
        free.insertAfter(anchor, block);
        anchor = block;
      }
    }
  }

  /** Like {@link #giveBack}, but not before step {@code fence} is acknowledged. */
  void giveBackAfter(long fence, int[] blocks, int count) {
    if (fence <= acknowledged) {
      giveBack(blocks, count);
      return;
    }
    quarantine.add(fence, blocks, count);
    for (int i = 0; i < count; i++) {
      quarantined[blocks[i]]++;
      if (isOnlyQuarantined(blocks[i])) {
        quarantinedBlocks++;
      }
    }
  }

  /** No step up to {@code stepId} writes any more. */
  void acknowledge(long stepId) {
    acknowledged = Math.max(acknowledged, stepId);
    while (quarantine.isDue(acknowledged)) {
      final int[] blocks = quarantine.oldest();
      final int count = quarantine.oldestLength();
      for (int i = 0; i < count; i++) {
        if (isOnlyQuarantined(blocks[i])) {
          quarantinedBlocks--;
        }
        quarantined[blocks[i]]--;
      }
      giveBack(blocks, count);
      quarantine.removeOldest();
    }
  }

  /** Forgets all contents; the order of the free queue stays. All blocks must be free. */
  void forgetContents() {
    for (int block = free.following(0); block != 0; block = free.following(block)) {
      if (contents.isCached(block)) {
        contents.evict(block, SILENT);
      }
    }
    events.cleared();
  }

  private boolean isOnlyQuarantined(int block) {
    return quarantined[block] > 0 && quarantined[block] == references[block];
  }
}
