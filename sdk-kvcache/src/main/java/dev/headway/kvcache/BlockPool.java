package dev.headway.kvcache;

import dev.headway.api.kvcache.EvictionPolicy;
import dev.headway.api.kvcache.KvCacheEvents;
import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.request.KvCacheRetention;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Allocation of blocks: reference counts, the free blocks, and the quarantine.
 *
 * <p>A block is free when its reference count is 0; a free block keeps its content until it is
 * taken, so that a lookup can bring it back. Freed blocks without content are reused first; those
 * with content in the order of {@link FreeBlocks}. One thread; allocates nothing once warm.
 */
final class BlockPool {

  private static final KvCacheEvents SILENT = new KvCacheEvents(new KvCacheListener() {});

  private final FreeBlocks free;
  private final BlockContents contents;
  private final KvCacheEvents events;
  private final Quarantine quarantine = new Quarantine();
  private final int[] references;
  private final int[] quarantined;
  private int quarantinedBlocks;
  private long acknowledged;
  private @Nullable HostTier hostTier;
  private @Nullable BlockRetention retention;
  private @Nullable BlockResidency residency;

  BlockPool(int numBlocks, BlockContents contents, KvCacheEvents events) {
    this.free = new FreeBlocks(numBlocks);
    this.contents = contents;
    this.events = events;
    this.references = new int[numBlocks];
    this.quarantined = new int[numBlocks];
  }

  /** What leaves the device from now on is offered to {@code tier}. */
  void saveTo(HostTier tier) {
    hostTier = tier;
  }

  /** How long blocks stay is measured from now on. */
  void measure(BlockResidency measured) {
    residency = measured;
  }

  /** What is kept longer than by least recent use is decided by {@code policy} from now on. */
  void retainBy(EvictionPolicy policy, LongSupplier clock, int mostPinned) {
    retention = new BlockRetention(policy, clock, free, references.length, mostPinned);
  }

  /** Whether {@link #retainBy} was called. */
  boolean isRetaining() {
    return retention != null;
  }

  /** Gives what was kept long enough the default priority. */
  void expire() {
    if (retention != null) {
      retention.expire();
    }
  }

  /** A request wishes this for the content of a block. Only after {@link #retainBy}. */
  void wish(int block, KvCacheRetention.Range range) {
    final BlockRetention kept = Objects.requireNonNull(retention);
    kept.wish(block, range.priority(), range.durationNs());
    if (references[block] == 0 && contents.isCached(block)) { // to its new place
      kept.removed(block);
      free.remove(block);
      kept.add(block);
    }
  }

  /** Blocks that no sequence holds and that are not given up. */
  int pinnedBlocks() {
    return free.pinned();
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

  /** Whether giving one reference back lets the block be taken, once nothing can write it. */
  boolean isHeldOnce(int block) {
    return references[block] == 1 && (retention == null || !retention.isToBePinned(block));
  }

  /** Whether no step up to {@code stepId} writes any more. */
  boolean isAcknowledged(long stepId) {
    return stepId <= acknowledged;
  }

  /** Whether the block can be taken. */
  boolean isFree(int block) {
    return references[block] == 0 && !free.isPinned(block);
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
    if (retention != null) {
      retention.forget(block);
    }
    if (residency != null) {
      residency.taken(block);
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
    if (!contents.isCached(block)) {
      return;
    }
    contents.evict(block, events);
    if (retention != null) {
      retention.forget(block);
      if (references[block] == 0) { // an empty block need not wait for its priority
        free.remove(block);
        free.insertAfter(0, block);
      }
    }
  }

  /** Adds a reference to a block with content, free or not. */
  void share(int block) {
    if (retention != null) {
      retention.hit(block);
    }
    if (residency != null) {
      residency.hit(block);
    }
    if (references[block] == 0) {
      free.remove(block);
      if (retention != null) {
        retention.removed(block);
      }
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
        addCached(block);
      } else {
        free.insertAfter(anchor, block);
        anchor = block;
      }
    }
  }

  private void addCached(int block) {
    if (retention == null) {
      free.addLast(block, KvCacheRetention.DEFAULT_PRIORITY);
    } else {
      retention.add(block);
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

  /** What is pinned is free again, with the default priority. */
  void unpin() {
    if (retention != null) {
      retention.unpin();
    }
  }

  /** Forgets all contents; the order in which blocks are taken stays. All blocks must be free. */
  void forgetContents() {
    unpin();
    if (residency != null) {
      residency.clear();
    }
    for (int block = free.following(0); block != 0; block = free.following(block)) {
      if (contents.isCached(block)) {
        contents.evict(block, SILENT);
        if (retention != null) {
          retention.forget(block);
        }
      }
    }
    events.cleared();
  }

  private boolean isOnlyQuarantined(int block) {
    return quarantined[block] > 0 && quarantined[block] == references[block];
  }
}
